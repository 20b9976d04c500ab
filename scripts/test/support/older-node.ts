/**
 * Commands on a machine whose PATH has a Node.js that does not read TypeScript, such as Node 20, and where `npm ci` has
 * run.
 */
import { execFile, execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { sourceRoot } from '@carton/runtime/testing';

const modules = join(dirname(sourceRoot), 'node_modules');

function isOlder(folder: string): boolean {
  if (folder.startsWith(modules) || !existsSync(join(folder, 'node')) || !existsSync(join(folder, 'npx'))) return false;
  const script = 'console.log(Boolean(process.features.typescript))';
  const options = { env: { PATH: folder }, encoding: 'utf8' } as const;
  return execFileSync(join(folder, 'node'), ['-e', script], options).trim() === 'false';
}

const folder = process.env.PATH?.split(':').find(isOlder);

/** Why tests of such commands are skipped; false if the machine has such a Node. */
export const noOlderNode =
  folder === undefined && 'the PATH has no Node.js that cannot read TypeScript, such as Node 20, with npx';

export interface Outcome {
  code: number;
  output: string;
  errors: string;
}

/** Runs a command in a folder, with these variables and none of the variables of this run of tests. */
export function runInOlderNode(cwd: string, words: string[], variables: Record<string, string>): Promise<Outcome> {
  const { HOME = '/', TMPDIR } = process.env;
  const environment = { PATH: `${folder}:/usr/bin:/bin`, HOME, ...(TMPDIR && { TMPDIR }), ...variables };
  const settings = Object.entries(environment).map(([name, value]) => `${name}=${value}`);
  return new Promise((resolve) => {
    // Coverage adds variables for Node.js to those of a child process, but not to those of its child.
    execFile('env', ['-i', ...settings, ...words], { cwd }, (error, output, errors) =>
      resolve({ code: error ? Number(error.code) : 0, output, errors }),
    );
  });
}
