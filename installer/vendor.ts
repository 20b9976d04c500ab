/**
 * The vendor's name as the command needs it, taken from the one place it stands: this package's own name.
 */
import manifest from './package.json' with { type: 'json' };

/** npm scope of every package a box is made of, `@` included. */
export const scope = manifest.name.slice(0, manifest.name.indexOf('/'));

/** The vendor's bare name; also the name of the command. */
export const vendor = scope.slice(1);

/** Version of the command. */
export const version = manifest.version;

/** Name of the lock file that a release carries. */
export const lockFileName = `${vendor}.lock.json`;

/** Full npm name of the engine, the package whose `dist/main.js` is the box. */
export const runtimePackage = `${scope}/runtime`;

/** First part of the names of the packages that hold the embedded PostgreSQL, one a platform. */
export const embeddedDatabasePrefix = `${scope}/postgresql-`;

/** Name of one of the command's environment variables: `BOX_DIR` becomes `<VENDOR>_BOX_DIR`. */
export function variable(name: string): string {
  return `${vendor.toUpperCase()}_${name}`;
}

/** When this variable is set, the binary runs the program its first argument names, as plain `node` would. */
export const runAsNode = variable('RUN_AS_NODE');
