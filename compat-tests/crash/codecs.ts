/** The codecs that kafkajs does not bring, from the broker's own. */
import { CompressionCodecs, CompressionTypes } from 'kafkajs';
import { Codec, compress, decompress, MAX_INFLATED_BYTES } from '../../src/records/compression';

const KINDS = [
  [CompressionTypes.Snappy, Codec.snappy],
  [CompressionTypes.LZ4, Codec.lz4],
  [CompressionTypes.ZSTD, Codec.zstd],
] as const;

/** All that kafkajs can then send. */
export const ALL_COMPRESSIONS = [CompressionTypes.None, CompressionTypes.GZIP, ...KINDS.map(([type]) => type)];

export function registerCodecs(): void {
  for (const [type, codec] of KINDS) {
    CompressionCodecs[type] = () => ({
      compress: async (encoder: { buffer: Buffer }) => compress(codec, encoder.buffer),
      decompress: async (buffer: Buffer) => {
        const inflated = decompress(codec, buffer, MAX_INFLATED_BYTES);
        if (!inflated.ok) throw new Error(`codec ${codec}: ${inflated.error}`);
        return inflated.value;
      },
    });
  }
}
