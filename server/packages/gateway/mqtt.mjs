/** Subscribes to topics of a broker. A message is acknowledged after it is stored, and the broker keeps those that come meanwhile. */
import { readFileSync } from 'node:fs';
import mqtt from 'mqtt';
import { endWith, openItems } from './items.mjs';
import { faultOf, report, required, secret, text } from './operation.mjs';
import { readRates, tooMany } from './senders.mjs';

const payloadMax = 131_072;
const packetMax = 1_048_576;
/** How long the broker keeps messages for a listener that is away. */
const sessionSeconds = 7 * 86_400;
const reconnectMs = 5_000;
const state = 'Listening';

const schemes = { 'mqtt:': 1_883, 'mqtts:': 8_883, 'ws:': 80, 'wss:': 443 };

function brokerOf(written) {
  const url = URL.canParse(written) ? new URL(written) : undefined;
  if (!url || !(url.protocol in schemes) || url.hostname === '')
    throw new Error(
      `Broker: ${written.slice(0, 200)} is not an address such as mqtts://broker.example:8883. There are ${Object.keys(schemes)
        .map((scheme) => `${scheme}//`)
        .join(', ')}.`,
    );
  if (url.username || url.password) throw new Error('Broker: give the user as User, and the password as the secret {Password}.');
  return url;
}

function fileAt(parameter) {
  const path = text(parameter);
  if (path === '') return undefined;
  try {
    return readFileSync(path);
  } catch (error) {
    throw new Error(`${parameter}: ${path} cannot be read (${error.code}).`, { cause: error });
  }
}

/** Whether a filter has the form of MQTT: + for one level, # for all that follow. */
const isFilter = (filter) =>
  filter.length <= 65_535 &&
  !filter.includes('\0') &&
  filter
    .split('/')
    .every((level, at, all) => (level.includes('#') ? level === '#' && at === all.length - 1 : level === '+' || !level.includes('+')));

function topicsOf() {
  const topics = required('Topics')
    .split(/[,\n]+/)
    .map((topic) => topic.trim())
    .filter((topic) => topic !== '');
  const wrong = topics.find((topic) => !isFilter(topic));
  if (wrong !== undefined)
    throw new Error(`Topics: ${wrong} is no filter: + stands for one level, # for all that follow and only at the end.`);
  return topics;
}

const strict = new TextDecoder('utf-8', { fatal: true });
function textOf(bytes) {
  try {
    return strict.decode(bytes);
  } catch {
    return undefined;
  }
}

/** Why a connection failed, in plain words. */
function reasonOf(error) {
  const code = Number(error.code);
  if ([4, 134].includes(code)) return 'the broker does not accept User and {Password}';
  if ([5, 135].includes(code)) return 'the broker does not permit the connection';
  if ([1, 132].includes(code)) return 'the broker does not speak this Version of MQTT';
  if (/certificate|self.signed|altname|ERR_TLS/i.test(`${error.code} ${error.message}`))
    return `the certificate of the broker is not trusted (${error.message}); give the CA file of its authority`;
  return faultOf(error).reason;
}

export async function subscribe() {
  const url = brokerOf(required('Broker'));
  const topics = topicsOf();
  const qos = Number(text('QoS') || 1);
  if (![0, 1, 2].includes(qos)) throw new Error('QoS must be 0, 1 or 2.');
  const version = text('Version') || '5';
  if (!['5', '3.1.1'].includes(version)) throw new Error('Version must be 5 or 3.1.1.');
  const is5 = version === '5';
  const [ca, cert, key] = ['CA file', 'Certificate file', 'Key file'].map(fileAt);
  const rates = readRates();
  const items = openItems();
  const where = `${url.hostname}:${url.port || schemes[url.protocol]}`;

  const client = mqtt.connect(url.href, {
    protocolVersion: is5 ? 5 : 4,
    clientId: text('Client id') || `cloudfit-${process.env['CLOUDFIT_DEVICE_OPERATION'] ?? process.pid}`,
    clean: false,
    username: text('User') || undefined,
    password: secret('PASSWORD') || undefined,
    ca,
    cert,
    key,
    reconnectPeriod: reconnectMs,
    connectTimeout: 20_000,
    reconnectOnConnackError: true,
    resubscribe: true,
    ...(is5 ? { properties: { sessionExpiryInterval: sessionSeconds, receiveMaximum: 100, maximumPacketSize: packetMax } } : {}),
  });

  let down;
  function sayDown(reason) {
    if (down === reason) return;
    down = reason;
    report({
      value: null,
      metrics: { ...items.counts, Up: 0 },
      states: { [state]: 'Down', Reason: reason },
      message: `${where}: ${reason}. Trying again.`,
    });
  }

  // Called before a message is acknowledged.
  client.handleMessage = ({ topic, payload, qos, retain }, done) => {
    if (!rates.take(topic)) items.refuse(tooMany(topic, rates.rate));
    else if (payload.length > payloadMax)
      items.refuse({
        code: 'MessageTooLong',
        message: `A message of ${topic} has ${payload.length} bytes; there are at most ${payloadMax}.`,
        sender: topic,
        sample: { topic, bytes: payload.length },
      });
    else {
      const content = textOf(payload);
      if (content === undefined)
        items.refuse({
          code: 'NoText',
          message: `The payload of ${topic} is neither JSON nor a number nor a text.`,
          sender: topic,
          sample: { topic, bytes: payload.length, base64: payload.subarray(0, 100).toString('base64') },
        });
      else if (!items.add({ transport: 'mqtt', topic, payload: content, qos, retain })) {
        // Unacknowledged, it comes again when there is room.
        process.stderr.write('A message could not be stored, so the listener ends; the broker sends it again.\n');
        items.close();
        process.exit(1);
      }
    }
    done();
  };

  let isBegun = false;
  client.on('connect', () => {
    // A retained message comes with a new subscription only, so a reconnection does not repeat old values.
    client.subscribe(Object.fromEntries(topics.map((topic) => [topic, is5 ? { qos, rh: 1, rap: true } : { qos }])), (error, granted) => {
      const refused = granted?.filter((grant) => grant.qos >= 128).map(({ topic }) => topic) ?? [];
      if (refused.length > 0 || error)
        return sayDown(
          refused.length > 0 ? `the broker refuses to subscribe to ${refused.join(', ')}` : `the subscription failed: ${error.message}`,
        );
      const message = `Subscribed to ${topics.join(', ')} at ${where}.`;
      if (!isBegun) items.begin(message, () => ({ Up: client.connected && down === undefined ? 1 : 0 }));
      else if (down !== undefined) report({ metrics: { ...items.counts, Up: 1 }, states: { [state]: 'Up' }, message });
      isBegun = true;
      down = undefined;
    });
  });
  client.on('error', (error) => sayDown(reasonOf(error)));
  client.on('disconnect', ({ reasonCode }) =>
    sayDown(
      reasonCode === 142
        ? 'another client with the same Client id took the session over'
        : `the broker ended the connection (${reasonCode})`,
    ),
  );
  client.on('close', () => sayDown(down ?? 'the connection is closed'));
  endWith(() => {
    client.end(true);
    items.close();
  });
}
