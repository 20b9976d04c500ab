/**
 * All attacks by their kind. Each kind is a file beside this one.
 */
import type { Attack } from '../attack.ts';
import { accounts } from './accounts.ts';
import { costs } from './costs.ts';
import { guesses } from './guesses.ts';
import { headers } from './headers.ts';
import { inputs } from './inputs.ts';
import { licences } from './licences.ts';
import { machine } from './machine.ts';
import { payments } from './payments.ts';
import { rights } from './rights.ts';
import { sessions } from './sessions.ts';
import { tarballs } from './tarballs.ts';
import { tenants } from './tenants.ts';
import { tokens } from './tokens.ts';
import { uploads } from './uploads.ts';
import { vendor } from './vendor.ts';
import { wire } from './wire.ts';

export const kinds: Readonly<Record<string, readonly Attack[]>> = {
  sessions,
  tenants,
  rights,
  tokens,
  licences,
  vendor,
  guesses,
  accounts,
  payments,
  uploads,
  costs,
  machine,
  tarballs,
  wire,
  headers,
  inputs,
};
