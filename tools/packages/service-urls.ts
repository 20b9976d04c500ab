// The URLs of services in the options of commands, and in the variables of the environment that are their defaults.

import { readServiceUrl } from '../../installer/service-urls.ts';

/**
 * The URL of an option, without spaces around it.
 * @throws Error for one that is no HTTP URL, or has a password, which the message does not have
 */
export function serviceUrl(option: string, text: string): string {
  return readServiceUrl(text, `the ${option.replace('-', ' ')} (--${option})`);
}
