import { expect, it } from 'vitest';
import type { Candidate } from '../../src/cost/unused/document.ts';
import { findUnused, ruledTypes } from '../../src/cost/unused/rules.ts';

const of = (type: string, properties: object = {}, attributes: object = {}): Candidate => ({
  id: 'r',
  type,
  properties: { ...properties },
  ...attributes,
});

it.each<[string, Candidate, object]>([
  ['a volume that AWS says is available', of('AWS::EC2::Volume', { state: 'available', attachments: [] }), { kind: 'unattached_volume' }], // prettier-ignore
  ['the same in the other spelling', of('AWS::EC2::Volume', { State: { value: 'available' } }), { kind: 'unattached_volume' }], // prettier-ignore
  ['a volume that its user says is not attached', of('AWS::EC2::Volume', {}, { attached: false }), { kind: 'unattached_volume' }], // prettier-ignore
  ['an address without an association', of('AWS::EC2::EIP', { publicIp: '1.2.3.4', associationId: null, instanceId: null }), { kind: 'unused_address' }], // prettier-ignore
  ['an address in a state of Terraform', of('AWS::EC2::EIP', { public_ip: '1.2.3.4', association_id: '', instance: '' }), { kind: 'unused_address' }], // prettier-ignore
  ['a stopped instance with its disks', of('AWS::EC2::Instance', { state: { code: 80, name: 'stopped' }, stateTransitionReason: 'User initiated (2026-01-02 03:04:05 GMT)', blockDeviceMappings: [{ ebs: { volumeId: 'vol-1' } }] }), { kind: 'stopped_instance', since: '2026-01-02T03:04:05.000Z', disks: ['vol-1'] }], // prettier-ignore
  ['a snapshot, once it is old', of('AWS::EC2::Snapshot', { startTime: '2026-01-01T00:00:00Z', volumeId: 'vol-1' }), { kind: 'old_snapshot', since: '2026-01-01T00:00:00.000Z', due: '2026-04-01T00:00:00.000Z' }], // prettier-ignore
  ['a classic load balancer without instances', of('AWS::ElasticLoadBalancing::LoadBalancer', { instances: [] }), { kind: 'idle_load_balancer' }], // prettier-ignore
  ['a load balancer that its user says has no targets', of('AWS::ElasticLoadBalancingV2::LoadBalancer', {}, { targets: [] }), { kind: 'idle_load_balancer' }], // prettier-ignore
  ['a disk of Azure', of('Azure::Compute::disks', { diskState: 'Unattached' }), { kind: 'unattached_volume' }], // prettier-ignore
  ['the same in another case', of('azure::compute::Disks', { diskState: 'unattached' }), { kind: 'unattached_volume' }], // prettier-ignore
  ['a public address of Azure', of('Azure::Network::publicIPAddresses', { provisioningState: 'Succeeded' }), { kind: 'unused_address' }], // prettier-ignore
  ['a deallocated machine of Azure', of('Azure::Compute::virtualMachines', { extended: { instanceView: { powerState: { code: 'PowerState/deallocated' } } }, storageProfile: { osDisk: { managedDisk: { id: '/d' } } } }), { kind: 'stopped_instance', disks: ['/d'] }], // prettier-ignore
  ['a load balancer of Azure', of('Azure::Network::loadBalancers', { provisioningState: 'Succeeded', backendAddressPools: [{ properties: {} }] }), { kind: 'idle_load_balancer' }], // prettier-ignore
  ['a snapshot of Azure', of('Azure::Compute::snapshots', { timeCreated: '2026-01-01T00:00:00+00:00' }), { kind: 'old_snapshot' }], // prettier-ignore
  ['a disk of Google', of('GCP::Compute::Disk', { status: 'READY' }), { kind: 'unattached_volume' }], // prettier-ignore
  ['a reserved address of Google', of('GCP::Compute::Address', { status: 'RESERVED' }), { kind: 'unused_address' }], // prettier-ignore
  ['a stopped machine of Google', of('GCP::Compute::Instance', { status: 'TERMINATED', disks: [{ source: 'https://d' }] }), { kind: 'stopped_instance', disks: ['https://d'] }], // prettier-ignore
  ['a snapshot of Google', of('GCP::Compute::Snapshot', { creationTimestamp: '2026-01-01T00:00:00.000-08:00' }), { kind: 'old_snapshot', since: '2026-01-01T08:00:00.000Z' }], // prettier-ignore
])('%s is unused', (_, resource, found) => {
  expect(findUnused(resource)).toMatchObject(found);
});

it.each<[string, Candidate]>([
  ['a volume in use', of('AWS::EC2::Volume', { state: 'in-use', attachments: [{}] })],
  ['a volume of a template, which says nothing of its use', of('AWS::EC2::Volume', { Size: 8 }, { attached: false, source: { format: 'cloudformation' } })], // prettier-ignore
  ['a volume of a plan', of('AWS::EC2::Volume', {}, { attached: false, source: { format: 'terraform' } })], // prettier-ignore
  ['an address in use', of('AWS::EC2::EIP', { publicIp: '1.2.3.4', associationId: 'eipassoc-1', instanceId: null })], // prettier-ignore
  ['an address of which it is not said', of('AWS::EC2::EIP', { publicIp: '1.2.3.4' })],
  ['an address of a plan', of('AWS::EC2::EIP', { instance: '' })],
  ['a running instance', of('AWS::EC2::Instance', { state: { name: 'running' } })],
  ['a snapshot without a time', of('AWS::EC2::Snapshot', { startTime: 'soon' })],
  ['a load balancer whose targets nobody says', of('AWS::ElasticLoadBalancingV2::LoadBalancer', { scheme: 'internal' })], // prettier-ignore
  ['a classic load balancer of which it is not said', of('AWS::ElasticLoadBalancing::LoadBalancer', {})], // prettier-ignore
  ['a public address of a template of Azure', of('Azure::Network::publicIPAddresses', { publicIPAllocationMethod: 'Static' })], // prettier-ignore
  ['a public address in use', of('Azure::Network::publicIPAddresses', { provisioningState: 'Succeeded', ipConfiguration: { id: 'x' } })], // prettier-ignore
  ['a load balancer of Azure with backends', of('Azure::Network::loadBalancers', { provisioningState: 'Succeeded', backendAddressPools: [{ properties: { backendIPConfigurations: [{}] } }] })], // prettier-ignore
  ['a load balancer of Azure without a word of pools', of('Azure::Network::loadBalancers', { provisioningState: 'Succeeded' })], // prettier-ignore
  ['a machine that is stopped but holds its hardware', of('Azure::Compute::virtualMachines', { extended: { instanceView: { powerState: { code: 'PowerState/running' } } } })], // prettier-ignore
  ['a disk of a plan of Google', of('GCP::Compute::Disk', { sizeGb: 10 })],
  ['a disk with users', of('GCP::Compute::Disk', { status: 'READY', users: ['x'] })],
  ['an address in use', of('GCP::Compute::Address', { status: 'IN_USE' })],
  ['another type', of('AWS::S3::Bucket', { state: 'available' })],
])('%s is not unused', (_, resource) => {
  expect(findUnused(resource)).toBeUndefined();
});

it('takes a resource of which nothing is said for used, whatever its type', () => {
  for (const type of ruledTypes()) {
    for (const properties of [{}, { state: null }, { status: 1, users: 'x', instances: {} }]) {
      expect(findUnused(of(type, properties))).toBeUndefined();
    }
  }
});
