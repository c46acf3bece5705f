/** Kafka's dump tool over a data directory, and what of its output is a complaint: it ends with 0 whatever it finds. */
import { readdirSync } from 'node:fs';
import path from 'node:path';

/** The lines that it prints for a sound file; every other line is a complaint. */
const SOUND_LINES = [
  /^Dumping \S+$/,
  /^Log starting offset: \d+$/,
  /^baseOffset: .* isvalid: true$/,
  /^\| offset: \d+ .*$/,
  /^offset: \d+ position: \d+$/,
  /^timestamp: -?\d+ offset: \d+$/,
  /^producerId: -?\d+ producerEpoch: .*$/,
  /^\S+ is empty\.$/,
];

/** Every segment, index and producer snapshot of the logs below `dataDir`; not the logs that are being deleted. */
export function segmentFiles(dataDir: string): string[] {
  return readdirSync(dataDir, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && /-\d+$/.test(entry.name))
    .flatMap((entry) => readdirSync(path.join(dataDir, entry.name)).map((name) => path.join(dataDir, entry.name, name)))
    .filter((file) => /\/\d{20}\.(log|index|timeindex|txnindex|snapshot)$/.test(file));
}

/** The complaints in what the tool said, at most the first few. */
export function dumpComplaints(said: string): string[] {
  return said
    .split('\n')
    .filter((line) => line !== '' && !SOUND_LINES.some((sound) => sound.test(line)))
    .slice(0, 10);
}
