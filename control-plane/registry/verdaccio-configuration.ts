// Verdaccio's configuration: no uplinks, users, web pages or middlewares.

import { join } from 'node:path';
import type { runServer } from 'verdaccio';
import type { GatePluginOptions } from './gate-plugin.ts';
import { gatePluginName } from './vendor.ts';

/** A group without users: Verdaccio itself grants nothing. */
const nobody = ['nobody-but-the-gate'];

/**
 * Returns the configuration in the form of Verdaccio's YAML file. `packages` is the folder of the packages, `pathPrefix`
 * the path of the public URL, which prefixes the paths of tarballs.
 */
export function verdaccioConfiguration(packages: string, pathPrefix: string, plugin: GatePluginOptions) {
  return {
    // Not read: Verdaccio derives the base of its relative paths from it.
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
