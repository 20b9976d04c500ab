/**
 * The process of the server that the files of a run of tests share: starts it with its template, and ends it with the
 * process of the run, also if that is killed, or on SIGTERM. Its words are its folder, and the id and the start of that
 * process.
 */
import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createTemplate, startTestServer } from './server.ts';
import { answerFile, type SharedServer, startOf } from './shared-server.ts';

const [folder, owner, start] = process.argv.slice(2) as [string, string, string];
const isRunning = () => startOf(Number(owner)) === start;

const ending = new AbortController();
process.on('SIGTERM', () => ending.abort());

/** Milliseconds between two looks at the process of the run, which does not know of this one. */
const interval = 500;

async function answer(content: SharedServer): Promise<void> {
  const file = join(folder, answerFile);
  await writeFile(`${file}.new`, JSON.stringify(content), { mode: 0o600 });
  await rename(`${file}.new`, file);
}

let server: Awaited<ReturnType<typeof startTestServer>> | undefined;
try {
  server = await startTestServer(join(folder, 'postgresql'));
  const template = await createTemplate(server.url);
  await answer({ environment: { TEST_DATABASE_URL: server.url, TEST_TEMPLATE: template } });
} catch (error) {
  console.error(error);
  await answer({ error: (error as Error).message });
}
while (isRunning() && !ending.signal.aborted) {
  await sleep(interval, undefined, { signal: ending.signal }).catch(() => {});
}
await server?.stop();
await rm(folder, { recursive: true, force: true });
process.exit(0);
