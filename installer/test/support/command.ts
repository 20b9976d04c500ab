/**
 * The program of the command, for tests.
 */
import { fileURLToPath } from 'node:url';
import { bundleOf } from './bundle.ts';

/** Its path, to be run by Node.js: a bundle, as in the binary. Where coverage is measured, the sources run themselves. */
export const commandFile = process.env.NODE_V8_COVERAGE
  ? fileURLToPath(new URL('../../cli.ts', import.meta.url))
  : await bundleOf('installer/cli.ts');
