/**
 * Disputes (chargebacks): a shopper's bank takes a payment back, or asks about it, and the provider reports it. A dispute is
 * no refund. What it takes is kept no longer, is not due again, and cannot be refunded; while it is open, the payment cannot
 * be refunded at all. Staff respond to it at the provider.
 */
import { lockOrder, type OrderState } from '@carton/order';
import { money, publish, type TenantDatabase } from '@carton/runtime';
import type { ReportedDispute } from '../adapters/adapter.ts';
import { format } from '../format.ts';
import { alignWithBalance } from '../payments/balance.ts';
import { refreshPaymentState } from '../payments/bookkeeping.ts';
import { lockPayment, updatePayment } from '../payments/store.ts';
import { disputeClosed, disputeOpened } from './events.ts';
import { type DisputeRow, type DisputeStatus, disputes, findPaymentByReference, setReportedAt } from './store.ts';

/** Progress of a dispute, which tells the order of reports of the same second. */
const progress: Record<DisputeStatus, number> = { inquiry: 0, open: 1, closed: 2, lost: 3, won: 4 };

function isOutdated(known: DisputeRow, { status, reportedAt, withdrawn }: ReportedDispute): boolean {
  const [time, knownTime] = [Date.parse(reportedAt), Date.parse(known.reportedAt)];
  // A decision may be appealed and reversed.
  if (time !== knownTime) return time < knownTime;
  if (progress[status] !== progress[known.status]) return progress[status] < progress[known.status];
  // Money that was withdrawn comes back with the decision only.
  return withdrawn < known.withdrawnAmount;
}

/**
 * Books what a provider reports of a dispute; a late or repeated report changes nothing. Locks the order, then the payment.
 * @returns the payment whose pending step is to be resumed after the transaction; null if there is nothing to do
 */
export async function applyDispute(
  tx: TenantDatabase,
  provider: string,
  reported: ReportedDispute,
): Promise<string | null> {
  const found = await findPaymentByReference(tx, provider, reported.paymentReference);
  if (!found) return null;
  const order = (await lockOrder(tx, found.orderId)) as OrderState;
  const payment = await lockPayment(tx, found.id);
  const known = await disputes.findBy(tx, { paymentId: payment.id, reference: reported.reference });
  if (known && isOutdated(known, reported)) return null;
  const { paymentReference: _, withdrawn, isRefundable: refundable, ...report } = reported;
  // An amount in another currency is not booked: nobody knows how much of the payment it is.
  const withdrawnAmount = reported.currency === payment.currency ? withdrawn : 0;
  const values = { ...report, refundable, withdrawnAmount };
  const row = known
    ? await changeDispute(tx, known, values)
    : await disputes.insert(tx, { ...values, paymentId: payment.id, orderId: order.id });
  const disputedAmount = payment.disputedAmount + withdrawnAmount - (known?.withdrawnAmount ?? 0);
  const booked = await updatePayment(tx, payment.id, { disputedAmount });
  if (known?.status !== row.status || known.withdrawnAmount !== withdrawnAmount) {
    await refreshPaymentState(tx, order, noteOf(row));
  }
  await publishChange(tx, known, row);
  if (isOpen(row.status)) return null;
  // What is won back may be owed to the shopper.
  const received = Math.max(0, payment.disputedAmount - disputedAmount);
  const followsStep = await alignWithBalance(tx, order, booked, { received, ended: true, capture: false });
  return followsStep ? payment.id : null;
}

type Reported = Omit<DisputeRow, 'id' | 'paymentId' | 'orderId' | 'payment' | 'createdAt' | 'updatedAt'>;

const timeOf = (time: string | null) => (time === null ? null : Date.parse(time));

/**
 * Changes a dispute whose payment is locked. A report of the same state is no change: what the provider has refused since it
 * had this state stays refused (`isRefundFailed`).
 */
async function changeDispute(tx: TenantDatabase, known: DisputeRow, values: Reported): Promise<DisputeRow> {
  const { reportedAt, respondBy, ...others } = values;
  const isSame =
    timeOf(respondBy) === timeOf(known.respondBy) &&
    Object.entries(others).every(([name, value]) => known[name as keyof DisputeRow] === value);
  if (!isSame) return disputes.change(tx, known.id, values);
  await setReportedAt(tx, known.id, reportedAt);
  return { ...known, reportedAt };
}

const isOpen = (status: DisputeStatus) => status === 'inquiry' || status === 'open';

async function publishChange(tx: TenantDatabase, known: DisputeRow | null, row: DisputeRow): Promise<void> {
  const { id, orderId, paymentId, status, amount, currency, respondBy } = row;
  const payload = { orderId, paymentId, status, amount, currency, respondBy };
  if (known?.status === status) return;
  // An inquiry that becomes a dispute is announced again: now money is withdrawn.
  const event = isOpen(status) ? disputeOpened : disputeClosed;
  await publish(tx, event, { type: 'dispute', id }, payload);
}

/** The entry in the order's timeline. */
function noteOf({ status, reason, amount, currency, withdrawnAmount, respondBy, payment }: DisputeRow): string {
  const sum = `${format(money(amount, currency))} by ${payment.method}`;
  if (status === 'won') return `The dispute of ${sum} was won`;
  if (status === 'lost') return `The dispute of ${sum} was lost: it is not due again`;
  if (status === 'closed') return `The dispute of ${sum} was closed without a decision`;
  const why = reason === null ? '' : ` (${reason.replaceAll('_', ' ')})`;
  const until = respondBy === null ? '' : `; respond at ${payment.provider} by ${respondBy.slice(0, 10)}`;
  if (status === 'inquiry') return `The shopper's bank inquires about ${sum}${why}${until}`;
  const taken = withdrawnAmount === 0 ? '' : `, ${format(money(withdrawnAmount, currency))} was withdrawn`;
  return `${sum} is disputed${why}${taken}${until}; do not pay it back by other means`;
}
