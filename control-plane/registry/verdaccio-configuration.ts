// Verdaccio's configuration: a registry without uplinks, users, web pages or middlewares of its own.

import { join } from 'node:path';
import type { runServer } from 'verdaccio';
import type { GatePluginOptions } from './gate-plugin.ts';
import { gatePluginName } from './vendor.ts';

/** No user is ever in this group: without the gate's word nobody may do anything. */
const nobody = ['nobody-but-the-gate'];

/**
 * The configuration as Verdaccio reads it from its YAML file. `packages` is the folder of the packages, `pathPrefix`
 * the path of the public URL, which stands before every tarball address.
 */
export function verdaccioConfiguration(packages: string, pathPrefix: string, plugin: GatePluginOptions) {
  return {
    // Never read: Verdaccio only wants to know which folder its relative paths start from.
    self_path: join(packages, 'verdaccio.yaml'),
    configPath: join(packages, 'verdaccio.yaml'),
    storage: packages,
    url_prefix: pathPrefix,
    uplinks: {},
    packages: { '**': { access: nobody, publish: nobody, unpublish: nobody } },
    auth: { [gatePluginName]: plugin },
    web: { enable: false },
    // A package is published as base64 inside JSON; the embedded database is by far the largest one.
    max_body_size: '256mb',
    log: { type: 'stdout', format: 'json', level: 'warn' },
  } as unknown as Parameters<typeof runServer>[0];
}
