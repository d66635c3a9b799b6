/**
 * Passes the focus of a button that goes away when it is pressed on to something near it. Only what was pressed by keyboard:
 * a tap into a field would open the keyboard of a phone.
 * @param around Selector of what both are in.
 * @param to Selector of what is to have the focus.
 */
export const passFocus = (event: MouseEvent, around: string, to: string): void => {
  if (event.detail !== 0 || !(event.currentTarget instanceof Element)) return;
  event.currentTarget.closest(around)?.querySelector<HTMLElement>(to)?.focus();
};
