/**
 * Loaded into a broker with `node --require` to take a profile of a part of its life: SIGUSR2 begins, SIGUSR2 ends.
 * Writes to ODRADEK_PROFILE_DIR: `N.started` when the N-th has begun, `N.cpuprofile` and `N.heapprofile` when it ended
 * (the last with all that was allocated meanwhile, collected or not); a file is whole when it is there.
 */
const { renameSync, writeFileSync } = require('node:fs');
const { Session } = require('node:inspector');
const path = require('node:path');

const CPU_INTERVAL_US = 200;
const HEAP_INTERVAL_BYTES = 64 * 1024;

const folder = process.env.ODRADEK_PROFILE_DIR;
const session = new Session();
session.connect();
let count = 0;
let isRunning = false;

function write(name, text) {
  const file = path.join(folder, name);
  writeFileSync(`${file}.partial`, text);
  renameSync(`${file}.partial`, file);
}

function call(method, words = {}) {
  return new Promise((resolve, reject) => {
    session.post(method, words, (error, result) => (error ? reject(error) : resolve(result)));
  });
}

async function begin() {
  const allocations = { includeObjectsCollectedByMajorGC: true, includeObjectsCollectedByMinorGC: true };
  await call('HeapProfiler.startSampling', { samplingInterval: HEAP_INTERVAL_BYTES, ...allocations });
  await call('Profiler.enable');
  await call('Profiler.setSamplingInterval', { interval: CPU_INTERVAL_US });
  await call('Profiler.start');
  write(`${++count}.started`, '');
}

async function end() {
  const cpu = await call('Profiler.stop');
  const heap = await call('HeapProfiler.stopSampling');
  write(`${count}.heapprofile`, JSON.stringify(heap.profile));
  write(`${count}.cpuprofile`, JSON.stringify(cpu.profile));
}

process.on('SIGUSR2', () => {
  isRunning = !isRunning;
  void (isRunning ? begin() : end());
});
