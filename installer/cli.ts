#!/usr/bin/env node
/**
 * Entry point of the command, from source and as one binary. It stays small: it prints the version, runs the box's
 * program and supervises a box without loading any of the commands.
 */
import { writeSync } from 'node:fs';
import { createRequire } from 'node:module';
import { isSea } from 'node:sea';
import { superviseWord } from './box/command-words.ts';
import { runAsNode, version } from './vendor.ts';

const commandLine = process.argv.slice(2);

if (isSea() && process.env[runAsNode]) {
  // The binary runs a program from disk: a box, or a process that a box forks. Inside a binary the first argument
  // repeats the binary's own path; without it the arguments are the same as in plain Node.
  process.argv.splice(1, 1);
  createRequire(process.execPath)('node:module').runMain();
} else if (commandLine.length === 1 && ['--version', '-v', '-V'].includes(commandLine[0] as string)) {
  printVersion();
} else if (commandLine[0] === superviseWord) {
  import('./supervisor/program.ts').then(({ runSupervisor }) => runSupervisor());
} else {
  import('./program.ts').then(({ run }) => run(commandLine));
}

/** Prints the version without process.stdout, whose streams take longer to load than everything else here. */
function printVersion(): never {
  try {
    writeSync(1, `${version}\n`);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code !== 'EPIPE') {
      process.stderr.write(`the version cannot be printed: ${message}\n`);
      process.exit(1);
    }
  }
  process.exit(0);
}
