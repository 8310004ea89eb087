/** What the server writes in English into feeds and inboxes, as the portal shows it. */
export const eventText = (detail: string): string => detail;
