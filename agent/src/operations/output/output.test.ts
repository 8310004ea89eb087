/** Readings of outputs: recorded ones of Telegraf scripts, exporters and plugins, and those of plugins that are installed. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { describe, expect, it } from 'vitest';
import { readOutput } from './read-output.ts';

const read = (output: Parameters<typeof readOutput>[0], text: string, exitCode = 0, isNumeric = false) =>
  readOutput(output, text, exitCode, isNumeric);

describe('nagios', () => {
  it('reads the state, the text and the performance data', () => {
    const load =
      'LOAD CRITICAL - total load average: 11.63, 9.79, 7.45|load1=11.630;5.000;10.000;0; load5=9.790;4.000;6.000;0; load15=7.450;3.000;4.000;0; \n';
    expect(read('nagios', load, 2)).toEqual({
      status: 'Critical',
      message: 'LOAD CRITICAL - total load average: 11.63, 9.79, 7.45',
      value: 11.63,
      metrics: { load1: 11.63, load5: 9.79, load15: 7.45 },
      states: { Status: 'CRITICAL' },
    });
    const disk =
      'DISK OK - free space: / 73044MiB (70% inode=95%);| /=32350666752B;243497277849;257024904396;0;270552530944 /dev=0B;11367088128;11998593024;0;12630097920\n';
    expect(read('nagios', disk)).toMatchObject({
      status: 'Success',
      metrics: { '/': 32_350_666_752, '/dev': 0 },
      diagnostics: { Units: { '/': 'B', '/dev': 'B' } },
    });
    const tcp =
      "TCP WARNING - 1.204 second response time on 10.0.0.9 port 443|'time of ''db'''=1.204s;1;2;0.000000;10.000000 lost=U pct=12,5%\n";
    expect(read('nagios', tcp, 1)).toMatchObject({
      status: 'Warning',
      metrics: { "time of 'db'": 1.204, pct: 12.5 },
      diagnostics: { Units: { "time of 'db'": 's', pct: '%' } },
    });
  });

  it('reads long output, a program without data, and refuses other exit codes', () => {
    const long =
      'DISK OK - free space: / 3326 MB (56%); | /=2643MB;5948;5958;0;5968\n/ 15272 MB (77%);\n/boot 68 MB (69%); | /boot=68MB;88;93;0;98\n/home=69357MB;253404;253409;0;253414\n';
    expect(read('nagios', long)).toMatchObject({
      metrics: { '/': 2643, '/boot': 68, '/home': 69_357 },
      diagnostics: { Details: '/ 15272 MB (77%);\n/boot 68 MB (69%);' },
    });
    expect(read('nagios', 'UNKNOWN: nothing\n', 3)).toMatchObject({ status: 'Unknown', value: 'UNKNOWN', message: 'UNKNOWN: nothing' });
    expect(() => read('nagios', 'Segmentation fault', 139)).toThrow(/Exit code 139 is not that of a monitoring plugin/);
  });

  const plugins = '/usr/lib/nagios/plugins';
  it.skipIf(!existsSync(`${plugins}/check_load`))("reads Debian's plugins as they are", async () => {
    const run = (name: string, ...args: string[]) => {
      const { stdout, status } = spawnSync(`${plugins}/${name}`, args, { encoding: 'utf8' });
      return read('nagios', stdout, status ?? -1);
    };
    expect(Object.keys(run('check_load', '-w', '99,99,99', '-c', '99,99,99').metrics ?? {})).toEqual(['load1', 'load5', 'load15']);
    expect(run('check_disk', '-w', '0%', '-c', '0%', '-p', '/')).toMatchObject({ status: 'Success', metrics: { '/': expect.any(Number) } });
    expect(run('check_procs', '-w', '0', '-c', '99999')).toMatchObject({ status: 'Warning', states: { Status: 'WARNING' } });
    const server = createServer();
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    const address = server.address();
    const port = typeof address === 'object' && address ? String(address.port) : '';
    expect(run('check_tcp', '-H', '127.0.0.1', '-p', port)).toMatchObject({ status: 'Success', metrics: { time: expect.any(Number) } });
    await new Promise((done) => server.close(done));
    expect(run('check_tcp', '-H', '127.0.0.1', '-p', port).status).toBe('Critical');
  });
});

describe('influx', () => {
  it('reads the lines of Telegraf scripts', () => {
    const gpu = 'nvidia_smi,host=box\\ 1,index=0 temperature_gpu=45i,power_draw=32.5,pstate="P8",fan="12 %, slow" 1464623548000000000\n';
    expect(read('influx', gpu)).toEqual({
      value: 45,
      metrics: {
        'nvidia_smi_temperature_gpu{host="box 1",index="0"}': 45,
        'nvidia_smi_power_draw{host="box 1",index="0"}': 32.5,
      },
      states: { 'nvidia_smi_pstate{host="box 1",index="0"}': 'P8', 'nvidia_smi_fan{host="box 1",index="0"}': '12 %, slow' },
    });
    expect(
      read('influx', 'weather temperature=-3.5,humidity=81u,raining=t\n# a comment\n\nbackup,job=db ok=true,size=1e9\n'),
    ).toMatchObject({
      value: -3.5,
      metrics: { weather_temperature: -3.5, weather_humidity: 81, 'backup_size{job="db"}': 1e9 },
      states: { weather_raining: true, 'backup_ok{job="db"}': true },
    });
    expect(read('influx', 'disk,path=/mnt/a\\=b,tag=x\\,y used\\ percent=12.25').metrics).toEqual({
      'disk_used percent{path="/mnt/a=b",tag="x,y"}': 12.25,
    });
  });

  it('says which line is wrong', () => {
    expect(() => read('influx', 'Traceback (most recent call last):')).toThrow(
      'No line of the output is a point of the line protocol; the first is: Traceback (most recent call last):',
    );
    expect(() => read('influx', 'cpu\n')).toThrow('No line of the output is a point of the line protocol; the first is: cpu');
    expect(() => read('influx', '')).toThrow('The output has no point of the line protocol.');
  });
});

describe('prometheus', () => {
  it('reads the text of exporters', () => {
    const node = String.raw`# HELP node_filesystem_avail_bytes Filesystem space available.
# TYPE node_filesystem_avail_bytes gauge
node_filesystem_avail_bytes{device="/dev/vda1",fstype="ext4",mountpoint="/"} 7.6593e+10
node_load1 0.21 1395066363000
go_gc_duration_seconds{quantile="0"} NaN
windows_path{path="C:\\DIR",error="say \"no\""} 1.458255915e9
http_bucket{le="+Inf"} 3
up +Inf
`;
    expect(read('prometheus', node)).toEqual({
      value: 7.6593e10,
      metrics: {
        'node_filesystem_avail_bytes{device="/dev/vda1",fstype="ext4",mountpoint="/"}': 7.6593e10,
        node_load1: 0.21,
        'windows_path{path="C:\\\\DIR",error="say \\"no\\""}': 1_458_255_915,
        'http_bucket{le="+Inf"}': 3,
      },
    });
    expect(() => read('prometheus', '<html>')).toThrow('No line of the output is a Prometheus sample; the first is: <html>');
  });

  it('keeps what fits into a packet and says how much is left out', () => {
    const reading = read('prometheus', Array.from({ length: 1_000 }, (_, n) => `series{n="${n}"} ${n}`).join('\n'));
    expect(Object.keys(reading.metrics ?? {})).toHaveLength(400);
    expect(reading.diagnostics).toEqual({ LeftOut: 600 });
  });
});

describe('json and text', () => {
  it('adds the reports of all lines', () => {
    const lines = [
      '{"progress": 40, "message": "half"}',
      'a line for people',
      '{"value": 1, "metrics": {"A": 1}}',
      '{"value": 2, "metrics": {"B": 2}}',
    ];
    expect(read('json', lines.join('\n'))).toEqual({ progress: 40, message: 'half', value: 2, metrics: { A: 1, B: 2 } });
    expect(() => read('json', '{"metrics": {"A": "high"}}')).toThrow(/metrics\.A of the output is wrong/);
    expect(() => read('json', '{"metrics": {"A": "high"}}\n{"metrics": {"B": "low"}}')).toThrow(/metrics\.A/);
    expect(() => read('json', 'nothing')).toThrow('The output has no report: a line with a JSON object.');
    // The exit code reports the failure, so unreadable output is no further error.
    expect(read('json', 'Error: boom', 1)).toEqual({});
  });

  it('takes the last line of a text, as a number when the manifest promises one', () => {
    expect(read('text', 'Checking ...\n 42.5 \n\n')).toEqual({ value: '42.5' });
    expect(read('text', 'Checking ...\n 42.5 \n\n', 0, true)).toEqual({ value: 42.5 });
    expect(() => read('text', 'none', 0, true)).toThrow('The output is not a number: none.');
  });
});

it('cuts a long text to whole characters', () => {
  expect(readOutput('text', `${'x'.repeat(999)}😀`, 0, false)).toEqual({ value: `${'x'.repeat(999)}\ufffd` });
  expect(readOutput('nagios', `OK\n${'x'.repeat(3_999)}😀`, 0, false).diagnostics).toEqual({ Details: `${'x'.repeat(3_999)}\ufffd` });
});
