#!/usr/bin/env node
/**
 * Where the command begins, from source and as one binary. It stays tiny: `--version` is answered, and the box's own
 * program handed over to Node, before anything of the commands is loaded.
 */
import { createRequire } from 'node:module';
import { isSea } from 'node:sea';
import { runAsNode, version } from './vendor.ts';

const words = process.argv.slice(2);

if (isSea() && process.env[runAsNode]) {
  // The binary runs a program from disk: a box, or what a box forks. Inside a binary the first argument repeats the
  // binary's own path; without it the arguments are those that plain Node would give.
  process.argv.splice(1, 1);
  createRequire(process.execPath)('node:module').runMain();
} else if (words.length === 1 && ['--version', '-v', '-V'].includes(words[0] as string)) {
  process.stdout.write(`${version}\n`);
} else {
  import('./program.ts').then(({ run }) => run(words));
}
