import { gzipSync } from 'node:zlib';
import { describe, expect, it, test } from 'vitest';
import { UnknownValue } from '../../../src/contract/resources.ts';
import { secretsIn } from '../../../src/inventory/attributes/user-data.ts';

const base64 = (text: string | Buffer): string => Buffer.from(text).toString('base64');
const folded = (text: string, indent = ''): string =>
  text.replaceAll(/.{1,76}/g, (line) => `${indent}${line}\n`);

describe('a password that is written out is found', () => {
  test.each([
    ['#!/bin/sh\nexport DB_PASSWORD=hunter22\n'],
    ['#!/bin/sh\nexport GITLAB_TOKEN=glpat0abcdef\n'],
    ['<powershell>\n$adminPassword = "hunter22"\n</powershell>'],
    ['[client]\nuser = shop\npassword = hunter22\n'],
    ['#cloud-config\npassword: hunter22\nchpasswd: {expire: false}\n'],
    ['#cloud-config\nusers:\n  - name: ops\n    plain_text_passwd: "hunter22"\n'],
    ['#cloud-config\nusers:\n- passwd: hunter22\n'],
    ['{"users": [{"name": "ops", "db.password": "hunter22"}]}'],
    ['{"password":"hunter22"}'],
    ['#cloud-config\nchpasswd:\n  expire: false\n  list: |\n    root:hunter22\n'],
    ['#cloud-config\nchpasswd:\n  list:\n    - root:hunter22\n'],
    ['#cloud-config\nchpasswd:\n  users:\n    - {name: root, password: hunter22, type: text}\n'],
    ["#!/bin/sh\necho 'root:hunter22' | sudo chpasswd\n"],
    ['#!/bin/sh\nchpasswd <<< "root:hunter22"\n'],
    ['#!/bin/sh\nchpasswd <<EOF\nroot:hunter22\nEOF\n'],
    ['#!/bin/sh\necho hunter22 | passwd --stdin root\n'],
    ['#!/bin/sh\nsetup --admin-password hunter22 --name x\n'],
    ['#!/bin/sh\nmysql -u root -phunter22 shop\n'],
    ["#!/bin/sh\nmysqladmin -u root password 'hunter22'\n"],
    ['#!/bin/sh\ndocker login -u shop -p hunter22 registry.example.com\n'],
    ['#!/bin/sh\nsshpass -p hunter22 ssh a@b\n'],
    ['#!/bin/sh\nredis-cli -h cache -a hunter22 ping\n'],
    ['#!/bin/sh\ncurl -s -u admin:hunter22 https://example.com\n'],
    ['#!/bin/sh\ncurl -u admin:hunter22 https://example.com\n'],
    ['#!/bin/sh\nmysql -phunter22 shop\n'],
    ['#!/bin/sh\nredis-cli -a hunter22 ping\n'],
    ['#!/bin/sh\ndocker login -p hunter22 -u shop registry.example.com\n'],
    ['#!/bin/sh\ncurl -H "Authorization: Bearer abcdefgh1234" https://example.com\n'],
    ['#!/bin/sh\nexport DATABASE_URL=postgres://shop:hunter22@db.example.com/shop\n'],
    ['#!/bin/sh\nexport DATABASE_URL=postgres://shop:hunter22@${DB_HOST}/shop\n'],
    ['#!/bin/sh\nexport DATABASE_URL=postgres://shop:hunter22@$DB_HOST/shop\n'],
    ['#!/bin/sh\nexport DATABASE_URL="postgres://$DB_USER:hunter22@db/shop"\n'],
    ['#!/bin/sh\nexport DATABASE_URL="${DRIVER}://${DB_USER}:hunter22@%s/shop"\n'],
    ['#!/bin/sh\nexport STORE="AccountName=shop;AccountKey=abc/def+ghi==;"\n'],
    ['#!/bin/sh\nexport STORE="Server=db;Uid=shop;Pwd=hun/er22"\n'],
    ['#!/bin/sh\nsome --dsn redis://:hunter22@cache:6379\n'],
    ['#!/bin/sh\npsql -c "CREATE ROLE shop LOGIN PASSWORD \'hunter22\'"\n'],
    ['#!/bin/sh\nmysql -e "CREATE USER shop IDENTIFIED BY \'hunter22\'"\n'],
    ['<script>\nnet user Administrator hunter22\n</script>'],
    ['<powershell>\nConvertTo-SecureString "hunter22" -AsPlainText -Force\n</powershell>'],
  ])('%j', (script) => {
    expect(secretsIn(script)).toEqual(['password']);
    expect(secretsIn(script.replaceAll('\n', '\r\n'))).toEqual(['password']);
  });
});

describe('a script that gets its password from elsewhere has none', () => {
  test.each([
    ['#!/bin/sh\nDB_PASSWORD=$(aws secretsmanager get-secret-value --secret-id db)\n'],
    ['#!/bin/sh\nTOKEN=`curl -s http://169.254.169.254/latest/api/token`\n'],
    ['#!/bin/sh\nread -p "Enter password: " password\n[ "$password" = "" ] && exit 1\n'],
    [
      '#!/bin/sh\nmysql -u root -p"$PASSWORD" --password "$PASSWORD"\npsql --no-password shopping\n',
    ],
    ['#!/bin/sh\ndocker login -u AWS --password-stdin 1.dkr.ecr.eu-central-1.amazonaws.com\n'],
    ['#!/bin/sh\naws ecr get-login-password | docker login -u AWS -p $(cat) registry\n'],
    ['#!/bin/sh\necho "root:$PASSWORD" | chpasswd\nset PASSWORD=%DB_PASSWORD%\n'],
    ['#!/bin/sh\ncurl -u "$USER:$PASSWORD" https://example.com/path:with@sign\n'],
    ['#!/bin/sh\ncurl -H "Authorization: Bearer $TOKEN" https://user@example.com\n'],
    [
      '#!/bin/sh\ngit clone https://oauth2:${TOKEN}@example.com/shop.git ssh://git@example.com:22/x\n',
    ],
    [
      '#!/bin/sh\nexport DATABASE_URL="postgres://$DB_USER:$DB_PASSWORD@${DB_HOST}:5432/x:abcd@$y"\n',
    ],
    ['#cloud-config\nssh_pwauth: false\ndisable_root: true\nusers:\n- lock_passwd: true\n'],
    [
      '#cloud-config\nchpasswd:\n  list:\n    - root:RANDOM\n    - ops:$6$rounds=4096$abcdefgh$ijklmnop\n',
    ],
    ['#cloud-config\npassword: $6$rounds=4096$abcdefgh$ijklmnop\n'],
    ['#cloud-config\npassword: ${password}\ndb: {password: "{{ ssm }}"}\n'],
    ['<powershell>\n$password = Get-Secret\nnet user Administrator /active:yes\n</powershell>'],
    ['<powershell>\n$p = ConvertTo-SecureString $secret -AsPlainText -Force\n</powershell>'],
    [
      '#!/bin/sh\nsed -i "s/PasswordAuthentication yes/PasswordAuthentication no/" /etc/ssh/sshd_config\n',
    ],
    [
      '#!/bin/sh\nyum install -y passwd chpasswd\nsetup --password-file /run/secret --password --user root\n',
    ],
  ])('%j', (script) => {
    expect(secretsIn(script)).toEqual([]);
    expect(secretsIn(base64(script))).toEqual([]);
  });
});

const script = '#!/bin/sh\nexport DB_PASSWORD=hunter22\n';
const file = (content: string, encoding = 'b64') =>
  `#cloud-config\nwrite_files:\n- path: /etc/shop\n  encoding: ${encoding}\n  content: ${content}\n`;

describe('a password is found however the user data is packed:', () => {
  test.each([
    ['in base64', base64(script)],
    ['in base64 over several lines', folded(base64(`${'# more\n'.repeat(50)}${script}`))],
    ['by gzip', base64(gzipSync(script))],
    ['in a file of cloud-config', file(base64(script))],
    [
      'in a file of cloud-config, over several lines',
      file(`|\n${folded(base64(`${'# more\n'.repeat(50)}${script}`), '    ')}`),
    ],
    ['in a file of cloud-config, by gzip', file(base64(gzipSync(script)), 'gz+b64')],
    ['in a file of cloud-config that is packed', base64(gzipSync(file(base64(script))))],
    [
      'in a part of a mail',
      `MIME-Version: 1.0\nContent-Transfer-Encoding: base64\n\n${folded(base64(script))}`,
    ],
    [
      'as a command of PowerShell',
      `powershell -EncodedCommand ${base64(Buffer.from('$password = "hunter22"', 'utf16le'))}`,
    ],
    ['beside text that is not ASCII', base64(`# Übergrößenträger\n${script}`)],
  ])('%s', (_, userData) => {
    expect(secretsIn(userData)).toEqual(['password']);
  });
});

it('is not known of what cannot be unpacked', () => {
  const damaged = base64(gzipSync(script).subarray(0, 20));
  expect(secretsIn(damaged)).toBeInstanceOf(UnknownValue);
  expect(secretsIn(base64(gzipSync(Buffer.alloc(10_000_000, ' '))))).toBeInstanceOf(UnknownValue);
  expect(secretsIn('# '.repeat(200_000))).toBeInstanceOf(UnknownValue);
  expect(secretsIn(`${script}\n${damaged}`)).toEqual(['password', expect.any(UnknownValue)]);
});
