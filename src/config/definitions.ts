/** The whole table of broker settings, put together from its areas. One row per key; see definition.ts for their shape. */
import { logDefinitions } from './definitions-log';

export const definitions = {
  ...logDefinitions,
};
