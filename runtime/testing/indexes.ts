/**
 * The work on indexes of a box, which the box itself does each minute.
 */
import { pino } from 'pino';
import { type KeptIndexes, keepIndexes as keep, openIndexClient } from '../background/index-keeper.ts';
import { languageIndexes } from '../background/language-indexes.ts';
import type { RunningBox } from '../start-box.ts';

/** Does it once. Returns what is logged. */
export async function keepIndexes(
  { box, databaseUrl }: { box: RunningBox; databaseUrl: string },
  options: Partial<KeptIndexes> = {},
): Promise<string[]> {
  const lines: string[] = [];
  const log = pino({}, { write: (line: string) => lines.push(JSON.parse(line).msg) });
  const client = openIndexClient(databaseUrl);
  await client.connect();
  try {
    await keep(client, { indexes: languageIndexes.of(box.database), dropUnused: true, log, ...options });
  } finally {
    await client.end();
  }
  return lines;
}
