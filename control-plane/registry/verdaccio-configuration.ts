// Verdaccio's configuration: no uplinks, users, web pages or middlewares.

import { join } from 'node:path';
import type { runServer } from 'verdaccio';
import type { GatePluginOptions } from './gate-plugin.ts';
import type { VerdaccioStorageOptions } from './packages/verdaccio-storage.ts';
import { gatePluginName, storagePluginName } from './vendor.ts';

/** A group without users: Verdaccio itself grants nothing. */
const nobody = ['nobody-but-the-gate'];

export type Plugins = { gate: GatePluginOptions; storage: VerdaccioStorageOptions };

/**
 * Returns the configuration in the form of Verdaccio's YAML file. `folder` is not used by Verdaccio, which wants one all
 * the same; `pathPrefix` is the path of the public URL, which prefixes the paths of tarballs.
 */
export function verdaccioConfiguration(folder: string, pathPrefix: string, { gate, storage }: Plugins) {
  return {
    // Not read: Verdaccio derives the base of its relative paths from it.
    self_path: join(folder, 'verdaccio.yaml'),
    configPath: join(folder, 'verdaccio.yaml'),
    storage: folder,
    url_prefix: pathPrefix,
    uplinks: {},
    packages: { '**': { access: nobody, publish: nobody, unpublish: nobody } },
    auth: { [gatePluginName]: gate },
    store: { [storagePluginName]: storage },
    web: { enable: false },
    // Only what Verdaccio answers itself: packages are published by publisher.ts.
    max_body_size: '1mb',
    log: { type: 'stdout', format: 'json', level: 'warn' },
  } as unknown as Parameters<typeof runServer>[0];
}
