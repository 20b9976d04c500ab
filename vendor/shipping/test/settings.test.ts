/**
 * Settings of carriers: the service of a box is the one of its packages that the setting names.
 */
import { gatherExtensions } from '@carton/runtime/testing';
import t from 'tap';
import { carrierServices, carrierSettings, hasCarrierService } from '../carriers/settings.ts';

/** What the start of a box with a service reads and checks. */
function start(CARRIER_SERVICE: string) {
  const contributed = carrierServices.with({ name: 'acme', connect: async () => null });
  const box = { extensions: gatherExtensions([contributed, carrierSettings.read({ CARRIER_SERVICE })]) };
  carrierSettings.check(box);
  return hasCarrierService(box);
}

t.test('a box has the service that the setting names', async (t) => {
  t.equal(start(''), false, 'none, although a package has one');
  t.equal(start('acme'), true);
  t.throws(() => start('easypost'), {
    message: 'invalid setting: CARRIER_SERVICE names "easypost", which is not one of acme',
  });
});
