/**
 * The settings of the command line of knex: `migrate:list`, `migrate:status`, `migrate:up` and `migrate:down` with the
 * migrations of a box, as docs/operations.md describes. knex reads this file in the Node that the project brings,
 * whichever Node is on the PATH: see scripts/stand-ins/typescript-register.
 */
import { registerHooks } from 'node:module';

// Here the workspaces are their sources, as with the option --conditions=workspace-source of npm's scripts.
registerHooks({
  resolve: (specifier, context, next) =>
    next(specifier, { ...context, conditions: [...context.conditions, 'workspace-source'] }),
});
const { knexSettings } = await import('./tools/migrations/knex.ts');

export default await knexSettings(process.env).catch((error: Error) => {
  // knex would add where in this file it was thrown.
  console.error(error.message);
  process.exit(1);
});
