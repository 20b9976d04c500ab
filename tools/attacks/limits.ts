/**
 * Guesses until a limit is reached. How many that takes depends on how fast the machine is, since counts fall meanwhile.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer } from '@carton/runtime/testing';

/** Sends until an answer is 429. @param most requests; the last answer is another one if all are used */
export async function untilLimited<Some extends { status: number }>(
  send: () => Promise<Some>,
  most = 3000,
): Promise<{ before: Some[]; last: Some }> {
  const before: Some[] = [];
  let last = await send();
  while (last.status !== 429 && before.length < most) {
    before.push(last);
    last = await send();
  }
  return { before, last };
}

/** Guesses until an account or an address has to wait for a while, so that the next request comes before it may be tried. */
export async function untilWaiting(guess: () => Promise<Answer>): Promise<Answer> {
  let answer = await guess();
  for (let tries = 0; tries < 20; tries += 1) {
    const seconds = answer.status === 429 ? Number(answer.headers.get('retry-after')) : 0;
    if (seconds >= 5) return answer;
    // Each further guess doubles the next wait.
    await sleep(seconds * 1000);
    answer = await guess();
  }
  return answer;
}
