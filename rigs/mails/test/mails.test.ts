/**
 * The mail rig in its short form: five kills between sending a mail and recording it lose none.
 */
import { exactly } from '@carton/runtime/testing';
import t from 'tap';
import { found, rig } from '../../test/support/rig.ts';

const ended = await rig('mails', '--short');
const { mails, arrivals, copiesAfterKills, ...rest } = found(ended);
t.match(rest, { rig: 'mails', held: true, broken: exactly([]), kills: 5, outages: 1 });
if (!t.equal(ended.code, 0)) t.comment(ended.stdout + ended.stderr);
t.ok(mails > 5, 'mails were sent');
t.ok(arrivals >= mails);
t.ok(copiesAfterKills >= 1, 'kills fell between sending and recording');
