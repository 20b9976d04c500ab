/**
 * Titles of variants as shoppers and staff read them in mails and on pages.
 */
import { isDefaultTitle } from '@carton/product';

/** The title of a line's variant; null for one that says nothing: that of a product without options. */
export function shownVariantTitle(title: string | null): string | null {
  return title === null || isDefaultTitle(title) ? null : title;
}
