/** Texts of executions of actions. */
export const executionTexts = {
  parameters: 'Input parameters',
  result: 'Result detail',
  reference: 'Reference ID',
  message: 'Message ID',
  correlation: 'Correlation ID',
} as const;
