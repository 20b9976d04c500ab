/**
 * The HTML that pages may contain: that of all rich texts.
 */
export { default } from '@carton/runtime/sanitize';
