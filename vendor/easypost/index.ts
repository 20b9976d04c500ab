/**
 * @carton/easypost: prices of carriers with EasyPost, for boxes whose settings name it.
 */
import { definePackage } from '@carton/runtime';
import { carrierServices } from '@carton/shipping';
import { easyPost } from './rates.ts';
import { easyPostSettings } from './settings.ts';

export default definePackage({
  routes: [],
  extends: [carrierServices.with(easyPost)],
  settings: easyPostSettings,
});
