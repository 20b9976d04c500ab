/**
 * Signatures: those of Standard Webhooks, with the example of its specification.
 */
import t from 'tap';
import { generateSecret, signatureHeaders } from '../signature.ts';

const example = ['msg_p5jXN8AQM9LWM0D4loKWxJek', 1614265330, '{"test": 2432232314}'] as const;
const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const signature = 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=';

t.strictSame(signatureHeaders([secret], ...example), {
  'webhook-id': example[0],
  'webhook-timestamp': '1614265330',
  'webhook-signature': signature,
});
const other = generateSecret();
t.match(other, /^whsec_[A-Za-z0-9+/]{43}=$/);
const both = signatureHeaders([other, secret], ...example)['webhook-signature'].split(' ');
t.equal(both.length, 2);
t.equal(both[1], signature);
