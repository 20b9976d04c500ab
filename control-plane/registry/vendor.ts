// The vendor's name as this registry needs it, taken from the one place it stands: this package's own name.

import manifest from './package.json' with { type: 'json' };

/** npm scope of every package served here, `@` included. */
export const scope = manifest.name.slice(0, manifest.name.indexOf('/'));

/** The vendor's bare name; also the key under which a published package.json states its tier. */
export const vendor = scope.slice(1);

/** `iss` of every activation token. */
export const issuer = `${vendor}-control-plane`;

/** The name under which Verdaccio loads the gate: a subpath that this package exports. */
export const gatePluginName = `${manifest.name}/gate-plugin`;
