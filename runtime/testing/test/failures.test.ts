/**
 * A failure says what was asserted and where, and what the box has logged of the requests of its test.
 */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { Parser, type Result } from 'tap-parser';

interface Failure {
  at: { fileName: string; lineNumber: number };
  diff?: string;
  log?: string;
  hint?: string;
}

const file = fileURLToPath(new URL('failing.ts', import.meta.url));

/** Runs the failing tests; returns the diagnostics of each failure by its message, and what was written to stderr. */
async function runFailing(level?: string): Promise<{ failures: Map<string, Failure>; stderr: string }> {
  const env: NodeJS.ProcessEnv = { ...process.env, TEST_LOG_LEVEL: level };
  if (level === undefined) delete env.TEST_LOG_LEVEL;
  const { stdout, stderr } = await new Promise<{ stdout: string; stderr: string }>((resolve) => {
    execFile(process.execPath, ['--conditions=workspace-source', file], { env }, (_, stdout, stderr) =>
      resolve({ stdout, stderr }),
    );
  });
  const results = Parser.parse(stdout, { flat: true }).flatMap(([kind, result]) =>
    kind === 'assert' ? [result as Result] : [],
  );
  const failed = results.filter(({ ok }) => !ok).map(({ name, diag }) => [name, diag as Failure] as const);
  return { failures: new Map(failed), stderr };
}

const [{ failures, stderr }, debugged] = await Promise.all([runFailing(), runFailing('debug')]);
const failureOf = (name: RegExp) => [...failures].find(([each]) => name.test(each))?.[1] as Failure;

t.test('each has its place and its difference', async (t) => {
  t.equal(failures.size, 6);
  for (const { at } of failures.values()) {
    t.match(at, { fileName: 'runtime/testing/test/failing.ts', lineNumber: Number });
  }
  t.match(failureOf(/wrong expectation/).diff, '-  "status": 418,\n+  "status": 200,');
  t.equal(failureOf(/after other requests/).hint, 'a diagnostic of the test');
});

t.test('without an error it has the log of the last request', async (t) => {
  const { log } = failureOf(/wrong expectation/);
  t.match(
    log?.replace(/\s+/g, ' '),
    /^GET \/store: 200, request (\S+) info: requestId="\1" .* method="GET" .*status=200 /,
  );
  t.equal(log?.match(/^GET/gm)?.length, 1, 'the request that passed its assertion is left out');
});

t.test('a refused request is shown with its problem', async (t) => {
  const { log } = failureOf(/refused/);
  t.match(log, /^PATCH \/admin\/store: 400, request \S+\n {2}invalid_request: body \/name: must be string\ninfo: /);
});

t.test('an error of the server is shown with its stack, in each failure of the test', async (t) => {
  for (const name of [/after other requests/, /thrown/]) {
    const { log } = failureOf(name);
    t.match(log, /^PATCH \/admin\/store: 500, request \S+\n {2}internal_error: .*\nGET \/store: 200, /);
    t.match(log, /^error: request failed requestId="\S+"\s+operationId="updateStore"\n {2}Error: the disk is full\n/m);
    t.match(log, /^ {6}at runtime\/testing\/test\/failing\.ts:19:/m);
  }
});

t.test('other tests do not have it', async (t) => {
  t.equal(failureOf(/asked nothing/).log, undefined);
  t.equal(failureOf(/in a subtest/).log, undefined);
  t.equal(stderr, '', 'nothing is written to standard error');
});

t.test('TEST_LOG_LEVEL writes the log to standard error as well', async (t) => {
  const messages = debugged.stderr.split('\n').flatMap((line) => (line ? [JSON.parse(line).msg] : []));
  t.ok(messages.includes('listening'));
  t.equal(messages.filter((message) => message === 'request failed').length, 1);
  const shown = ({ log }: Failure) => log?.replaceAll(/\s+/g, ' ').replaceAll(/[-\w]{36}|[\d.]+|tenant="\S+"/g, '…');
  t.strictSame([...debugged.failures.values()].map(shown), [...failures.values()].map(shown));
});
