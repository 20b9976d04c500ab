/**
 * @carton/thing: things that staff manage.
 */
import { definePackage } from '@carton/runtime';
import { thingUpdated } from './events.ts';
import { adminThings } from './routes.ts';

export default definePackage({ routes: adminThings, events: [thingUpdated] });
