/** Texts of what actions did. */
export const executionTexts = {
  parameters: 'Input parameters',
  result: 'Result detail',
  reference: 'Reference ID',
  message: 'Message ID',
  correlation: 'Correlation ID',
} as const;
