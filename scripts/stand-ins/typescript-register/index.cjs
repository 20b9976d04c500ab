/**
 * Runs this command again in the Node.js that the project brings. The command line of knex requires one of several
 * packages, this name among them, before it imports a knexfile in TypeScript: they are to make Node read TypeScript. The
 * Node of the project does so by itself; an older one on the PATH, which runs this file, does not.
 */
const { spawnSync } = require('node:child_process');
const { existsSync, realpathSync } = require('node:fs');
const { join } = require('node:path');

const modules = join(__dirname, '../../../node_modules');
const node = join(modules, `node-${process.platform}-${process.arch}/bin/node`);
if (!existsSync(node)) {
  console.error(`The Node.js of the project is missing (${node}): run npm ci without --omit=optional.`);
  process.exit(1);
}
if (realpathSync(process.execPath) !== realpathSync(node)) {
  const { status, signal, error } = spawnSync(node, process.argv.slice(1), { stdio: 'inherit' });
  if (error) throw error;
  if (signal) process.kill(process.pid, signal);
  process.exit(status ?? 1);
}
