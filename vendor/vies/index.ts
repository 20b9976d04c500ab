/**
 * @carton/vies: proof of tax numbers with the EU's VIES, for boxes whose settings name it.
 */
import { definePackage } from '@carton/runtime';
import { taxNumberCheckers } from '@carton/tax';
import { vies } from './check.ts';
import { viesSettings } from './settings.ts';

export default definePackage({
  routes: [],
  extends: [taxNumberCheckers.with(vies)],
  settings: viesSettings,
});
