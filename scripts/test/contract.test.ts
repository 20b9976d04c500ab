/**
 * Tests every row of the contract's tables against the running stack.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { callerOf } from '@carton/runtime/testing';
import t from 'tap';
import { testStackRows } from '../../tools/contract-rows/stack.ts';
import { stackPlace, startStack } from './support/stack.ts';

const stack = await startStack(t, await stackPlace(t));
await testStackRows(t, {
  ...stack,
  visitor: callerOf(stack.boxUrl),
  hosted: callerOf(stack.boxUrl, { 'x-tenant-slug': stack.tenant, 'x-hosting-secret': stack.hostingSecret }),
  log: await readFile(join(stack.home, 'logs/box.log'), 'utf8'),
});
