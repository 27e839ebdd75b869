/** For an element that scrolls: with a keyboard it can only be scrolled when it can be focused, and then it needs a name. */
export const scrolls = (name: string) => ({ role: "group", "aria-label": name, tabIndex: 0 }) as const;
