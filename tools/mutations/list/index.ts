/**
 * All mutations, by subject.
 */
import type { MutationList } from '../mutation.ts';
import { accounts } from './accounts.ts';
import { backups } from './backups.ts';
import { electronicInvoices } from './electronic-invoices.ts';
import { erasure } from './erasure.ts';
import { events } from './events.ts';
import { fees } from './fees.ts';
import { guesses } from './guesses.ts';
import { holds } from './holds.ts';
import { money } from './money.ts';
import { payments } from './payments.ts';
import { pending } from './pending.ts';
import { places } from './places.ts';
import { postalCodes } from './postal-codes.ts';
import { rights } from './rights.ts';
import { statements } from './statements.ts';
import { stock } from './stock.ts';
import { supervisor } from './supervisor.ts';
import { taxNumbers } from './tax-numbers.ts';
import { tenants } from './tenants.ts';

export const mutationList = {
  money,
  statements,
  events,
  fees,
  places,
  postalCodes,
  pending,
  stock,
  holds,
  payments,
  rights,
  accounts,
  guesses,
  tenants,
  taxNumbers,
  erasure,
  electronicInvoices,
  backups,
  supervisor,
} satisfies MutationList;
