/**
 * Moves the focus from a button that disappears when pressed to an element near it. Only for keyboard events: on a phone,
 * focusing a field would open the on-screen keyboard.
 * @param around selector of an ancestor of both
 * @param to selector of the element to focus
 */
export const passFocus = (event: MouseEvent, around: string, to: string): void => {
  if (event.detail !== 0 || !(event.currentTarget instanceof Element)) return;
  event.currentTarget.closest(around)?.querySelector<HTMLElement>(to)?.focus();
};
