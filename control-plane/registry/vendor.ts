// The vendor's name, derived from the name of this package.

import manifest from './package.json' with { type: 'json' };

/** npm scope of all packages in this registry, with its `@`. */
export const scope = manifest.name.slice(0, manifest.name.indexOf('/'));

/** The vendor's name, which is also the member of a published package.json that has its tier. */
export const vendor = scope.slice(1);

/** `iss` of every activation token. */
export const issuer = `${vendor}-control-plane`;

/** The module that Verdaccio loads as the gate: an exported subpath of this package. */
export const gatePluginName = `${manifest.name}/gate-plugin`;

/** The module that Verdaccio loads as its storage. */
export const storagePluginName = `${manifest.name}/verdaccio-storage`;
