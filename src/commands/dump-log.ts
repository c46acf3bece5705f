/**
 * `odradek dump-log`: what the files of a partition hold, with the options and the lines of Kafka's kafka-dump-log.
 * Exit code 1 where a file could not be read.
 */
import { type Command, InvalidArgumentError, Option } from 'commander';
import { StartFailure } from '../base/start-failure';
import { fail } from './command-line';
import { StreamOutput } from './stream-output';

interface DumpLogOptions {
  readonly files?: string;
  readonly deepIteration?: true;
  readonly printDataLog?: true;
  readonly verifyIndexOnly?: true;
  readonly indexSanityCheck?: true;
  readonly maxBytes?: number;
  readonly skipRecordMetadata?: true;
  readonly offsetsDecoder?: true;
  readonly transactionLogDecoder?: true;
  readonly clusterMetadataDecoder?: true;
  readonly shareGroupStateDecoder?: true;
  readonly keyDecoderClass?: string;
  readonly valueDecoderClass?: string;
}

const HELP = `
Reads segments (.log), indexes (.index, .timeindex, .txnindex), producer snapshots (.snapshot), KRaft's snapshots
(.checkpoint) and leader-epoch-checkpoint. Only reads, so a broker may be running on the directory; what it has not
written yet is then missing, or there by half.

Examples:
  odradek dump-log data/orders-0/00000000000000000000.log
  odradek dump-log --print-data-log data/orders-0/*.log
  odradek dump-log --offsets-decoder --files data/__consumer_offsets-7/00000000000000000000.log
`;

const LARGEST_INT32 = 2 ** 31 - 1;

function parseBytes(text: string): number {
  const bytes = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
  if (!(bytes <= LARGEST_INT32)) throw new InvalidArgumentError(`a number of bytes from 0 to ${LARGEST_INT32}`);
  return bytes;
}

type Decoder = import('../offline/record-decoders').RecordDecoder;

function decoderOf(options: DumpLogOptions): Decoder | undefined {
  const {
    BYTES_DECODER_NAMES,
    clusterMetadataDecoder,
    offsetsDecoder,
    plainDecoder,
    shareGroupStateDecoder,
    transactionLogDecoder,
  } = require('../offline/record-decoders') as typeof import('../offline/record-decoders');
  if (options.offsetsDecoder) return offsetsDecoder();
  if (options.transactionLogDecoder) return transactionLogDecoder();
  if (options.clusterMetadataDecoder) return clusterMetadataDecoder();
  if (options.shareGroupStateDecoder) return shareGroupStateDecoder();
  const { printDataLog, keyDecoderClass, valueDecoderClass } = options;
  if (!printDataLog && keyDecoderClass === undefined && valueDecoderClass === undefined) return undefined;
  const known = (name = 'StringDecoder'): string => {
    const last = name.split('.').at(-1)!;
    if (BYTES_DECODER_NAMES.includes(last)) return last;
    throw new StartFailure(`${name} is no known decoder: there are ${BYTES_DECODER_NAMES.join(', ')}`);
  };
  return plainDecoder({ key: known(keyDecoderClass), value: known(valueDecoderClass) });
}

async function dump(words: readonly string[], options: DumpLogOptions): Promise<void> {
  const files = [...words, ...(options.files?.split(',') ?? [])].filter((name) => name !== '');
  if (files.length === 0) throw new StartFailure('no files: name them, or list them after --files');
  const decoder = decoderOf(options);
  const { dumpLog } = require('../offline/dump-log') as typeof import('../offline/dump-log');
  const { nodeFileSystem } = require('../log/node-file-system') as typeof import('../log/node-file-system');
  const output = new StreamOutput();
  const allRead = await dumpLog(nodeFileSystem, files, {
    options: {
      decoder,
      deepIteration: options.deepIteration === true || decoder !== undefined,
      skipRecordMetadata: options.skipRecordMetadata === true,
      maxBytes: options.maxBytes ?? Number.POSITIVE_INFINITY,
      verifyOnly: options.verifyIndexOnly === true,
      indexSanityOnly: options.indexSanityCheck === true,
    },
    output,
  });
  output.end();
  if (!allRead) process.exitCode = 1;
}

export function addDumpLogCommand(program: Command): void {
  program
    .command('dump-log')
    .description("print what a partition's files hold, as kafka-dump-log does")
    .argument('[file...]', 'segments, indexes, snapshots, leader epochs')
    .option('--files <file1,file2,...>', 'files, as kafka-dump-log takes them')
    .option('--deep-iteration', 'records too, not only batches')
    .option('--print-data-log', 'records with keys and values')
    .option('--offsets-decoder', 'records are those of __consumer_offsets')
    .option('--transaction-log-decoder', 'records are those of __transaction_state')
    .option('--cluster-metadata-decoder', "records are those of KRaft's __cluster_metadata")
    .option('--share-group-state-decoder', 'records are those of __share_group_state')
    .option(
      '--key-decoder-class <name>',
      'how keys are shown: StringDecoder, IntegerDecoder, LongDecoder, DefaultDecoder',
    )
    .option('--value-decoder-class <name>', 'how values are shown, likewise')
    .option('--skip-record-metadata', 'keys and values alone')
    .option('--max-bytes <bytes>', 'look only at batches within so many bytes of each segment', parseBytes)
    .option('--verify-index-only', 'compare indexes with the log, and print only what does not fit')
    .option('--index-sanity-check', 'only ask whether a start would keep the indexes')
    .addOption(new Option('--max-message-size <bytes>', 'taken and not needed').argParser(parseBytes).hideHelp())
    .addHelpText('after', HELP)
    .action((files: string[], options: DumpLogOptions) => dump(files, options).catch(fail));
}
