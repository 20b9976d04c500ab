/**
 * Checks OpenAPI documents with the linters that developers of clients use.
 */
import { execFile } from 'node:child_process';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { sourceRoot } from './packages.ts';

const root = dirname(sourceRoot);
const ruleset = join(root, 'scripts/test/spectral.yaml');

/** Runs a program of the project; returns its exit code and output. */
async function run(program: string, words: readonly string[]): Promise<{ code: number; output: string }> {
  const quiet = { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
  const options = { maxBuffer: 2 ** 26, env: { ...process.env, ...quiet } };
  return promisify(execFile)(join(root, 'node_modules/.bin', program), words, options).then(
    ({ stdout }) => ({ code: 0, output: stdout }),
    ({ code, stdout, stderr }) => ({ code, output: stdout + stderr }),
  );
}

/** The errors and warnings of `redocly lint` and `spectral lint` in these files. */
export async function lintDocuments(files: readonly string[]): Promise<string[]> {
  if (files.length === 0) return [];
  const spectral = run('spectral', ['lint', '--ruleset', ruleset, '--fail-severity=hint', ...files]);
  const found: string[] = [];
  for (const file of files) {
    // Of several files it prints one result after another, with nothing between them.
    const { output } = await run('redocly', ['lint', '--extends=recommended', '--format=json', file]);
    const { totals, problems } = JSON.parse(output.slice(output.indexOf('{')));
    if (totals.errors > 0 || totals.warnings > 0) found.push(`redocly lint: ${JSON.stringify(problems.slice(0, 3))}`);
  }
  const { code, output } = await spectral;
  return code === 0 ? found : [...found, `spectral lint: ${output.slice(0, 1000)}`];
}
