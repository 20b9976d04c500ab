/**
 * The service keeps what all carrier services must, with the simulator of EasyPost's API.
 */
import { carrierServiceSettings, startCarrierService } from '@carton/easypost/testing';
import { createTestBox } from '@carton/runtime/testing';
import { testCarrierService } from '@carton/shipping/testing';
import t from 'tap';
import { easyPost } from '../rates.ts';

const simulator = await startCarrierService();
t.teardown(() => simulator.stop());
const packages = ['@carton/auth', '@carton/tenant', '@carton/easypost'];
const { db } = await createTestBox(t, { packages, environment: carrierServiceSettings(simulator) });
const addressIn = (city: string) => ({ country: 'DE', province: null, postalCode: '10115', city, line1: '1 Way' });

t.test('the contract', (t) => {
  testCarrierService(t, { service: easyPost, db, route: { from: addressIn('Hamburg'), to: addressIn('Berlin') } });
  t.end();
});
