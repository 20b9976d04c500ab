/**
 * Names derived from the vendor's name, which is read from this package's own name.
 */
import manifest from './package.json' with { type: 'json' };

/** npm scope of the vendor's packages, including `@`. */
export const scope = manifest.name.slice(0, manifest.name.indexOf('/'));

/** The vendor's bare name; also the name of the command. */
export const vendor = scope.slice(1);

/** Version of the command. */
export const version = manifest.version;

/** Name of a release's lock file. */
export const lockFileName = `${vendor}.lock.json`;

/** Full npm name of the engine, the package whose `dist/main.js` is the box. */
export const runtimePackage = `${scope}/runtime`;

/** Prefix of the names of the embedded PostgreSQL's packages, one per platform. */
export const embeddedDatabasePrefix = `${scope}/postgresql-`;

/** The first part of every backup key; of licence keys, `ctn` is. Secret scanners recognise both by it. */
export const backupKeyPrefix = 'ctn_backup';

/** Name of one of the command's environment variables: `BOX_DIR` becomes `<VENDOR>_BOX_DIR`. */
export function variable(name: string): string {
  return `${vendor.toUpperCase()}_${name}`;
}

/** When this variable is set, the binary runs the program that its first argument names, as plain `node` does. */
export const runAsNode = variable('RUN_AS_NODE');
