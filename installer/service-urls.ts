/**
 * URLs of services in options and in the environment.
 */
import { Failure } from './failure.ts';
import { isHttpUrl } from './network.ts';

/**
 * The URL of a service, as an option or a variable of the environment has it.
 * @param what completes "the URL of": `the control plane`
 * @throws Failure usage; its message does not have the text, which may contain a password
 */
export function readServiceUrl(text: string, what: string): string {
  const url = text.trim();
  if (isHttpUrl(url)) return url;
  const { username = '', password = '' } = URL.parse(url) ?? {};
  const why = username + password === '' ? 'is not an HTTP URL' : 'has a user name or a password';
  throw new Failure('usage', `the URL of ${what} ${why}`, 'Use a URL such as https://control.example');
}
