/** Labels of the choices of fields, which are in English as they are declared. */
export const choiceText = (label: string): string => label;
