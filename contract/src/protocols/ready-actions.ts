/** Templates of actions for other services, such as chat, paging and tickets; a tenant adds its secrets and addresses. */

export interface ReadyAction {
  id: string;
  name: string;
  description: string;
  inputParameters: string;
  httpMethod: 'POST' | 'PATCH';
  endpointUrl: string;
  headers: string | null;
  body: string;
  /** What the receiver answers when it has the message, if that is more than a status. */
  successText?: string;
  successField?: string;
  successValue?: string;
  /** Where the answer names the ticket, which becomes the reference of the work unit. */
  referenceField?: string;
  referenceAddress?: string;
  /** Where the service lists what it has, so that a repeated try makes no second ticket. */
  lookBackAddress?: string;
}

const unitFacts = 'Work unit {PublicWorkUnitId}: {Title}';

const json = (value: unknown): string => JSON.stringify(value, null, 2);

const pagerDuty = (event: 'trigger' | 'resolve'): Record<string, unknown> => ({
  routing_key: '{Secret:PagerDutyRoutingKey}',
  event_action: event,
  // Equal for all events of a work unit, so that PagerDuty deduplicates them into one incident.
  dedup_key: 'cloudfit-{TenantId}-{WorkUnitId}',
});

const gitHubHeaders = 'Authorization:Bearer {Secret:GitHubToken}\nAccept:application/vnd.github+json\nX-GitHub-Api-Version:2022-11-28';
const serviceNowIncidents = 'https://your-instance.service-now.com/api/now/table/incident';
/** What a ticket is told when the state of its work unit changes. */
const stateNote = `${unitFacts}\nState: {State}\nAssigned to: {AssignedToName|nobody}\n{WorkUnitUrl}`;
const resolutionNote = `${unitFacts}\nResolution: {Resolution|none}`;

export const readyActions: readonly ReadyAction[] = [
  {
    id: 'slack',
    name: 'Slack message',
    description:
      'Posts to the channel of an incoming webhook. Its address ends in three parts: keep them as the secrets SlackWorkspace, SlackWebhook and SlackKey.',
    inputParameters: '',
    httpMethod: 'POST',
    endpointUrl: 'https://hooks.slack.com/services/{Secret:SlackWorkspace}/{Secret:SlackWebhook}/{Secret:SlackKey}',
    headers: null,
    body: json({
      text: `{Severity}: {Title}`,
      blocks: [
        { type: 'header', text: { type: 'plain_text', text: '{Severity}: {PublicWorkUnitId}' } },
        { type: 'section', text: { type: 'plain_text', text: `${unitFacts}\nState: {State}\nTenant: {TenantName}` } },
        {
          type: 'actions',
          elements: [
            { type: 'button', text: { type: 'plain_text', text: 'Acknowledge' }, url: '{AckUrl}' },
            { type: 'button', text: { type: 'plain_text', text: 'Open' }, url: '{WorkUnitUrl}' },
          ],
        },
      ],
    }),
    successText: 'ok',
  },
  {
    id: 'teams',
    name: 'Microsoft Teams card',
    description:
      'Posts a card by a workflow "When a Teams webhook request is received". Replace the host with that of its address; keep the id and sig of the address as the secrets TeamsWorkflow and TeamsSignature.',
    inputParameters: '',
    httpMethod: 'POST',
    endpointUrl:
      'https://prod-00.westeurope.logic.azure.com/workflows/{Secret:TeamsWorkflow}/triggers/manual/paths/invoke?api-version=2016-06-01&sp=%2Ftriggers%2Fmanual%2Frun&sv=1.0&sig={Secret:TeamsSignature}',
    headers: null,
    body: json({
      type: 'message',
      attachments: [
        {
          contentType: 'application/vnd.microsoft.card.adaptive',
          content: {
            $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
            type: 'AdaptiveCard',
            version: '1.4',
            body: [
              { type: 'TextBlock', size: 'Medium', weight: 'Bolder', wrap: true, text: '{Severity}: {Title}' },
              { type: 'TextBlock', wrap: true, text: 'Work unit {PublicWorkUnitId}, {State}, {TenantName}' },
            ],
            actions: [
              { type: 'Action.OpenUrl', title: 'Acknowledge', url: '{AckUrl}' },
              { type: 'Action.OpenUrl', title: 'Open', url: '{WorkUnitUrl}' },
            ],
          },
        },
      ],
    }),
  },
  {
    id: 'pagerduty',
    name: 'PagerDuty incident',
    description:
      'Triggers an incident by the Events API v2; one per work unit. The integration key is the secret PagerDutyRoutingKey. Level: critical, error, warning or info.',
    inputParameters: 'Level',
    httpMethod: 'POST',
    endpointUrl: 'https://events.pagerduty.com/v2/enqueue',
    headers: null,
    body: json({
      ...pagerDuty('trigger'),
      client: 'CloudFit',
      client_url: '{WorkUnitUrl}',
      payload: {
        summary: '{Severity}: {Title}',
        source: '{TenantName}',
        severity: '{Level}',
        custom_details: { workUnit: '{PublicWorkUnitId}', state: '{State}', description: '{Description}' },
      },
      links: [
        { href: '{WorkUnitUrl}', text: 'Open' },
        { href: '{AckUrl}', text: 'Acknowledge in CloudFit' },
      ],
    }),
    successField: 'status',
    successValue: 'success',
  },
  {
    id: 'pagerduty-resolve',
    name: 'PagerDuty resolve',
    description: 'Resolves the incident of the work unit; for OnResolved. The integration key is the secret PagerDutyRoutingKey.',
    inputParameters: '',
    httpMethod: 'POST',
    endpointUrl: 'https://events.pagerduty.com/v2/enqueue',
    headers: null,
    body: json(pagerDuty('resolve')),
    successField: 'status',
    successValue: 'success',
  },
  {
    id: 'opsgenie',
    name: 'Opsgenie alert',
    description: 'Creates an alert; one per work unit. The API key is the secret OpsgenieKey. Priority: P1 to P5.',
    inputParameters: 'Priority',
    httpMethod: 'POST',
    endpointUrl: 'https://api.opsgenie.com/v2/alerts',
    headers: 'Authorization:GenieKey {Secret:OpsgenieKey}',
    body: json({
      message: 'Work unit {PublicWorkUnitId} ({Severity}) of {TenantName}',
      alias: 'cloudfit-{TenantId}-{WorkUnitId}',
      description: '{Title}\n{WorkUnitUrl}\nAcknowledge: {AckUrl}',
      priority: '{Priority}',
      source: 'CloudFit',
      details: { workUnit: '{PublicWorkUnitId}', severity: '{Severity}' },
    }),
  },
  {
    id: 'jira',
    name: 'Jira issue',
    description:
      'Creates an issue in a project of Jira Cloud by its REST API; each run creates one, so use it for OnNew. Replace the host with that of your site. The secret JiraLogin is the base64 text of "e-mail:API token". Project: its key. IssueType: the name of a type of the project, such as Task.',
    inputParameters: 'Project,IssueType',
    httpMethod: 'POST',
    endpointUrl: 'https://your-site.atlassian.net/rest/api/2/issue',
    headers: 'Authorization:Basic {Secret:JiraLogin}',
    body: json({
      fields: {
        project: { key: '{Project}' },
        issuetype: { name: '{IssueType}' },
        summary: '{Severity}: {Title}',
        description: `${unitFacts}\nTenant: {TenantName}\n{WorkUnitUrl}\nAcknowledge: {AckUrl}\n\n{Description}`,
        labels: ['cloudfit', 'cloudfit-{MessageId}'],
      },
    }),
    lookBackAddress:
      'https://your-site.atlassian.net/rest/api/2/search/jql?jql=labels%20%3D%20%22cloudfit-{MessageId}%22&fields=labels&maxResults=1',
    referenceField: 'key',
    referenceAddress: 'https://your-site.atlassian.net/browse/{key}',
  },
  {
    id: 'jira-comment',
    name: 'Jira comment',
    description:
      'Comments on the issue that "Jira issue" has made for the work unit; use it for OnAcknowledged, OnInProgress and other changes of the state. Replace the host as there.',
    inputParameters: '',
    httpMethod: 'POST',
    endpointUrl: 'https://your-site.atlassian.net/rest/api/2/issue/{ReferenceId}/comment',
    headers: 'Authorization:Basic {Secret:JiraLogin}',
    body: json({ body: stateNote }),
  },
  {
    id: 'jira-close',
    name: 'Jira transition',
    description:
      'Moves the issue of the work unit to another status and comments on it; use it for OnResolved. TransitionId: the number of the transition to Done, from /rest/api/2/issue/KEY/transitions. Replace the host as in "Jira issue".',
    inputParameters: 'TransitionId',
    httpMethod: 'POST',
    endpointUrl: 'https://your-site.atlassian.net/rest/api/2/issue/{ReferenceId}/transitions',
    headers: 'Authorization:Basic {Secret:JiraLogin}',
    body: json({ transition: { id: '{TransitionId}' }, update: { comment: [{ add: { body: resolutionNote } }] } }),
  },
  {
    id: 'github',
    name: 'GitHub issue',
    description:
      'Creates an issue in a repository; each run creates one, so use it for OnNew. Its number becomes the reference of the work unit. The secret GitHubToken is a token that may write issues. Owner, Repository: as in the address of the repository.',
    inputParameters: 'Owner,Repository',
    httpMethod: 'POST',
    endpointUrl: 'https://api.github.com/repos/{Owner}/{Repository}/issues',
    headers: gitHubHeaders,
    body: json({
      title: '{Severity}: {Title}',
      body: `${unitFacts}\nTenant: {TenantName}\n{WorkUnitUrl}\nAcknowledge: {AckUrl}\n\n{Description}\n\n<!-- cloudfit {MessageId} -->`,
      labels: ['cloudfit'],
    }),
    // A search would lag behind what was made seconds ago.
    lookBackAddress: 'https://api.github.com/repos/{Owner}/{Repository}/issues?labels=cloudfit&state=all&sort=created&per_page=30',
    referenceField: 'number',
    referenceAddress: '{html_url}',
  },
  {
    id: 'github-comment',
    name: 'GitHub comment',
    description: 'Comments on the issue that "GitHub issue" has made for the work unit; use it for changes of the state.',
    inputParameters: 'Owner,Repository',
    httpMethod: 'POST',
    endpointUrl: 'https://api.github.com/repos/{Owner}/{Repository}/issues/{ReferenceId}/comments',
    headers: gitHubHeaders,
    body: json({ body: stateNote }),
  },
  {
    id: 'github-close',
    name: 'GitHub issue, closed',
    description: 'Closes the issue that "GitHub issue" has made for the work unit; use it for OnResolved.',
    inputParameters: 'Owner,Repository',
    httpMethod: 'PATCH',
    endpointUrl: 'https://api.github.com/repos/{Owner}/{Repository}/issues/{ReferenceId}',
    headers: gitHubHeaders,
    body: json({ state: 'closed', state_reason: 'completed' }),
  },
  {
    id: 'servicenow',
    name: 'ServiceNow incident',
    description:
      'Creates an incident by the Table API; each run creates one, so use it for OnNew. Its sys_id becomes the reference of the work unit. Replace the host, also in the address of the reference. The secret ServiceNowLogin is the base64 text of "user:password". Impact, Urgency: 1 (high) to 3 (low).',
    inputParameters: 'Impact,Urgency',
    httpMethod: 'POST',
    endpointUrl: serviceNowIncidents,
    headers: 'Authorization:Basic {Secret:ServiceNowLogin}\nAccept:application/json',
    body: json({
      short_description: '{Severity}: {Title}',
      description: `${unitFacts}\nTenant: {TenantName}\n{WorkUnitUrl}\nAcknowledge: {AckUrl}\n\n{Description}`,
      impact: '{Impact}',
      urgency: '{Urgency}',
      correlation_id: 'cloudfit-{MessageId}',
      correlation_display: 'CloudFit',
    }),
    lookBackAddress: `${serviceNowIncidents}?sysparm_query=correlation_id=cloudfit-{MessageId}&sysparm_fields=sys_id,correlation_id&sysparm_limit=1`,
    referenceField: 'result.sys_id',
    referenceAddress: 'https://your-instance.service-now.com/incident.do?sys_id={result.sys_id}',
  },
  {
    id: 'servicenow-note',
    name: 'ServiceNow work note',
    description: 'Adds a work note to the incident of the work unit; use it for changes of the state. Replace the host.',
    inputParameters: '',
    httpMethod: 'PATCH',
    endpointUrl: `${serviceNowIncidents}/{ReferenceId}`,
    headers: 'Authorization:Basic {Secret:ServiceNowLogin}\nAccept:application/json',
    body: json({ work_notes: stateNote }),
  },
  {
    id: 'servicenow-resolve',
    name: 'ServiceNow incident, resolved',
    description:
      'Resolves the incident of the work unit; use it for OnResolved. CloseCode: a resolution code of your instance. Replace the host.',
    inputParameters: 'CloseCode',
    httpMethod: 'PATCH',
    endpointUrl: `${serviceNowIncidents}/{ReferenceId}`,
    headers: 'Authorization:Basic {Secret:ServiceNowLogin}\nAccept:application/json',
    body: json({ state: '6', close_code: '{CloseCode}', close_notes: resolutionNote }),
  },
  {
    id: 'sms',
    name: 'SMS by a gateway',
    description:
      'Sends a text by an SMS gateway with a JSON API. Replace address and fields with those of your gateway; its token is the secret SmsToken. To: the phone number. Switch on "Sends SMS to people" when it works.',
    inputParameters: 'To',
    httpMethod: 'POST',
    endpointUrl: 'https://sms.example.com/messages',
    headers: 'Authorization:Bearer {Secret:SmsToken}',
    body: json({ to: '{To}', text: '{Severity} {PublicWorkUnitId} {TenantName}: {Title} {Seen|} {AckUrl}' }),
  },
  {
    id: 'standard-webhook',
    name: 'Standard Webhook',
    description:
      'Posts the work unit as JSON, signed by Standard Webhooks (webhook-id, webhook-timestamp, webhook-signature). Replace the address; the key of the signature, whsec_ and base64, is the secret webhook-signature.',
    inputParameters: 'Type',
    httpMethod: 'POST',
    endpointUrl: 'https://hooks.example.com/cloudfit',
    headers: null,
    body: json({
      type: '{Type}',
      data: {
        workUnit: '{PublicWorkUnitId}',
        title: '{Title}',
        description: '{Description}',
        severity: '{Severity}',
        state: '{State}',
        assignedTo: '{AssignedTo}',
        tenant: '{TenantName}',
        created: '{Created}',
        url: '{WorkUnitUrl}',
        acknowledgeUrl: '{AckUrl}',
      },
    }),
  },
];
