/**
 * A subject of the suite: tests against the stack. Whatever a subject asks the box, every answer must be declared in the
 * document and be that of the sources.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import type { Exchange } from './mirror/mirror.ts';
import { logOf } from './report/box-log.ts';
import { openStage, type Stage } from './stage.ts';

/** The requests of a test whose log is shown if it fails. */
const shownRequests = 3;
/** Ends what hangs. Under load the longest subject takes half an hour. */
const timeout = 7_200_000;

export interface SubjectOptions {
  /** False for a subject whose requests only make sense for the installed box: it changes settings, or stops it. */
  compared?: boolean;
}

/** Runs a subject in this process. @param run adds tests to `t` */
export function subject(
  name: string,
  run: (t: Test, stage: Stage) => Promise<void>,
  { compared = true }: SubjectOptions = {},
): void {
  t.setTimeout(timeout);
  t.test(name, async (t) => {
    const stage = await openStage(t, { compared });
    const { exchanges } = stage;
    let seen = 0;
    t.afterEach((test) => {
      const own = exchanges.slice(seen);
      seen = exchanges.length;
      if (!test.passing()) showLog(t, stage, own);
    });
    await run(t, stage);
    await recordAnswers(stage, name);
    await t.test('every answer is declared, and that of the sources', async (t) => {
      const faults = new Map<string, Exchange>();
      for (const exchange of exchanges)
        for (const fault of exchange.faults) faults.set(`${exchange.name}: ${fault}`, exchange);
      for (const [fault, exchange] of faults) {
        t.fail(fault, { at: undefined, stack: '' });
        showLog(t, stage, [exchange]);
      }
      t.pass(`${exchanges.length} answers`);
    });
  });
}

/** Records the answers in the folder of the stack, a line each. */
async function recordAnswers({ settings, exchanges }: Stage, name: string): Promise<void> {
  const folder = join(settings.folder, 'answers');
  await mkdir(folder, { recursive: true });
  const lines = exchanges.map((exchange) => `${JSON.stringify(exchange)}\n`);
  await writeFile(join(folder, `${name}.jsonl`), lines.join(''));
}

/** Shows what the box logged of requests: those with a fault or a 500, else the last one. */
function showLog(t: Test, stage: Stage, exchanges: readonly Exchange[]): void {
  const suspects = exchanges.filter(({ faults, status }) => faults.length > 0 || status >= 500);
  const shown = suspects.length > 0 ? suspects.slice(-shownRequests) : exchanges.slice(-1);
  for (const { name, status, requestId } of shown) {
    t.comment(`${name} ${status}, request ${requestId ?? 'without an id'}, in the log of the box:`);
    for (const line of logOf(stage.settings, requestId)) t.comment(`  ${line}`);
  }
}
