/**
 * Which cluster the files of a control store belong to, asked before there is a controller: for a data directory that
 * lost its `meta.properties`. Leaves the store closed, and makes none where there is none.
 */
import { ok, type Result } from '../base/result';
import { EmbeddedControlStore, type EmbeddedControlStoreOptions } from './embedded-control-store';
import { getIfPresent } from './topic-loader';
import { CLUSTER_ID_PATH, decodeClusterId } from './znodes';

/** Undefined where there is no store yet; the error is for the operator. */
export async function storedClusterId(
  options: EmbeddedControlStoreOptions,
): Promise<Result<string | undefined, string>> {
  if (!options.storage.stat(`${options.path}.journal`)) return ok(undefined);
  const opened = await EmbeddedControlStore.open(options);
  if (!opened.ok) return opened;
  const node = await getIfPresent(opened.value, CLUSTER_ID_PATH);
  await opened.value.close();
  return ok(node && decodeClusterId(node.data));
}
