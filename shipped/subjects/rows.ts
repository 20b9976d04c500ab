/**
 * The rows of the contract, for the box, the control plane and the registry as they are shipped.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createForSale } from '@carton/cart/testing';
import { testStackRows } from '../../tools/contract-rows/stack.ts';
import { boxFolder, localUrl } from '../../tools/shipped-stack/settings.ts';
import { subject } from '../subject.ts';

subject('rows', async (t, { settings, openTenant }) => {
  const store = await openTenant();
  await createForSale(store, 1990);
  await testStackRows(t, {
    visitor: store.visitor(),
    shopper: store.shopper,
    hosted: store.visitor(),
    log: await readFile(join(boxFolder(settings), 'logs', 'box.log'), 'utf8'),
    controlPlaneUrl: localUrl(settings.ports.controlPlane),
    registryUrl: localUrl(settings.ports.registry),
    adminSecret: settings.secrets.admin,
    registrySecret: settings.secrets.registry,
    licenseKey: settings.licenceKey,
  });
});
