/** Our own words; see test/compliance. */
export const pciTitles = `
1.1.1 Network security: document policies and procedures
1.1.2 Network security: assign roles
1.2.1 Standardize firewall rulesets
1.2.2 Approve changes to networks and rulesets
1.2.3 Keep network diagrams current
1.2.4 Keep data flow diagrams current
1.2.5 Allow only services that the business needs
1.2.6 Mitigate insecure services
1.2.7 Review rulesets twice a year
1.2.8 Secure firewall configuration files
1.3.1 Restrict inbound traffic to cardholder data
1.3.2 Restrict outbound traffic from cardholder data
1.3.3 Install firewalls between wireless networks and cardholder data
1.4.1 Install firewalls between trusted and untrusted networks
1.4.2 Restrict inbound traffic from untrusted networks
1.4.3 Block spoofed source addresses
1.4.4 Keep stored cardholder data off untrusted networks
1.4.5 Hide internal addresses and routes
1.5.1 Protect devices that also use untrusted networks
2.1.1 Secure configuration: document policies and procedures
2.1.2 Secure configuration: assign roles
2.2.1 Define hardened configurations
2.2.2 Manage vendor default accounts
2.2.3 Separate functions of different security levels
2.2.4 Enable only what is needed
2.2.5 Justify and secure insecure services
2.2.6 Set security parameters
2.2.7 Encrypt administration
2.3.1 Change wireless vendor defaults
2.3.2 Change wireless keys when people leave or keys are compromised
3.1.1 Stored data: document policies and procedures
3.1.2 Stored data: assign roles
3.2.1 Minimize stored data, and delete data after its retention period
3.3.1 Delete authentication data after authorization
3.3.2 Encrypt authentication data stored before authorization
3.3.3 Issuers: limit stored authentication data
3.4.1 Mask card numbers on display
3.4.2 Prevent copying of card numbers over remote access
3.5.1 Make stored card numbers unreadable
3.6.1 Protect encryption keys
3.7.1 Generate strong keys
3.7.2 Distribute keys securely
3.7.3 Store keys securely
3.7.4 Rotate keys at the end of their period
3.7.5 Retire or replace weak keys
3.7.6 Split knowledge of cleartext keys
3.7.7 Prevent key substitution
3.7.8 Require key custodians to accept their responsibilities
3.7.9 Service providers: guide customers on keys
4.1.1 Transmission: document policies and procedures
4.1.2 Transmission: assign roles
4.2.1 Encrypt cardholder data over open networks
4.2.2 Secure card numbers in messages
5.1.1 Malware: document policies and procedures
5.1.2 Malware: assign roles
5.2.1 Run anti-malware where malware is a risk
5.2.2 Detect and remove all kinds of malware
5.2.3 Reassess systems without anti-malware
5.3.1 Keep anti-malware up to date
5.3.2 Scan regularly or continuously
5.3.3 Scan removable media
5.3.4 Keep anti-malware logs
5.3.5 Prevent users from disabling anti-malware
5.4.1 Detect phishing, and protect people from it
6.1.1 Development: document policies and procedures
6.1.2 Development: assign roles
6.2.1 Develop custom software securely
6.2.2 Train developers yearly
6.2.3 Review code before release
6.2.4 Prevent common software attacks
6.3.1 Identify and rank vulnerabilities
6.3.2 Inventory software and its components
6.3.3 Install security patches promptly
6.4.1 Protect public web applications from attacks
6.4.2 Block web attacks automatically
6.4.3 Control scripts on payment pages
6.5.1 Follow change procedures
6.5.2 Confirm requirements after significant changes
6.5.3 Separate production from other environments
6.5.4 Separate roles between production and other environments
6.5.5 Keep live card numbers out of tests
6.5.6 Remove test data before production
7.1.1 Access: document policies and procedures
7.1.2 Access: assign roles
7.2.1 Define an access model
7.2.2 Assign least privilege by job function
7.2.3 Approve privileges
7.2.4 Review user access twice a year
7.2.5 Manage access by system accounts
7.2.6 Restrict queries of stored cardholder data
7.3.1 Use an access control system everywhere
7.3.2 Enforce permissions by job function
7.3.3 Deny by default
8.1.1 Identity: document policies and procedures
8.1.2 Identity: assign roles
8.2.1 Give every user a unique ID
8.2.2 Allow shared accounts only as an exception
8.2.3 Service providers: separate factors per customer
8.2.4 Authorize changes to user IDs
8.2.5 Revoke access immediately when people leave
8.2.6 Disable accounts idle for 90 days
8.2.7 Limit remote access by third parties
8.2.8 Reauthenticate idle sessions after 15 minutes
8.3.1 Authenticate all access with at least one factor
8.3.2 Encrypt authentication factors
8.3.3 Verify identity before changing factors
8.3.4 Lock accounts after failed attempts
8.3.5 Set unique initial passwords
8.3.6 Require long, complex passwords
8.3.7 Prevent reuse of recent passwords
8.3.8 Explain authentication rules to users
8.3.9 Change passwords or assess risk dynamically
8.3.10 Service providers: guide customers on passwords
8.3.11 Bind tokens and certificates to one user
8.4.1 Use MFA for administrators
8.4.2 Use MFA for access to cardholder data
8.4.3 Use MFA for remote access
8.5.1 Configure MFA against misuse
8.6.1 Limit interactive use of system accounts
8.6.2 Keep passwords out of scripts and code
8.6.3 Protect passwords of system accounts
9.1.1 Physical access: document policies and procedures
9.1.2 Physical access: assign roles
9.2.1 Control entry to sensitive facilities
9.2.2 Control public network jacks
9.2.3 Restrict physical access to wireless and network hardware
9.2.4 Lock consoles when unused
9.3.1 Authorize staff for sensitive areas
9.3.2 Authorize and escort visitors
9.3.3 Collect visitor badges
9.3.4 Keep a visitor log
9.4.1 Secure media physically
9.4.2 Classify media
9.4.3 Send media by tracked courier
9.4.4 Approve media that leaves the facility
9.4.5 Inventory electronic media
9.4.6 Destroy paper media safely
9.4.7 Destroy electronic media safely
9.5.1 Protect card readers from tampering
10.1.1 Logging: document policies and procedures
10.1.2 Logging: assign roles
10.2.1 Log activity on all components
10.2.2 Record user, event, time and origin in logs
10.3.1 Restrict read access to logs
10.3.2 Prevent changes to logs
10.3.3 Back logs up centrally
10.3.4 Detect changes to logs
10.4.1 Review critical logs daily
10.4.2 Review other logs periodically
10.4.3 Address findings of log reviews
10.5.1 Retain logs for one year, and three months online
10.6.1 Synchronize clocks
10.6.2 Get time from trusted sources
10.6.3 Protect time settings
10.7.1 Service providers: detect failed controls
10.7.2 Detect failures of critical controls
10.7.3 Respond to failed controls promptly
11.1.1 Testing: document policies and procedures
11.1.2 Testing: assign roles
11.2.1 Detect rogue wireless access points
11.2.2 Inventory wireless access points
11.3.1 Run internal vulnerability scans quarterly
11.3.2 Have an approved vendor run external scans quarterly
11.4.1 Define a method for penetration tests
11.4.2 Run internal penetration tests
11.4.3 Run external penetration tests
11.4.4 Fix findings of penetration tests
11.4.5 Test segmentation yearly
11.4.6 Service providers: test segmentation twice a year
11.4.7 Multi-tenant providers: support customers' tests
11.5.1 Detect intrusions
11.5.2 Detect changes to critical files
11.6.1 Detect changes to payment pages
12.1.1 Establish a security policy
12.1.2 Review the security policy yearly
12.1.3 Define security duties in the policy
12.1.4 Assign an executive responsible for security
12.2.1 Set rules for end-user technologies
12.3.1 Analyze risks before choosing flexible frequencies
12.3.2 Analyze risks of customized controls
12.3.3 Review cryptography in use yearly
12.3.4 Review hardware and software yearly
12.4.1 Service providers: assign executive responsibility for compliance
12.4.2 Service providers: verify quarterly that tasks are done
12.5.1 Inventory components in scope
12.5.2 Confirm the scope yearly
12.5.3 Service providers: review organizational changes
12.6.1 Run a security awareness program
12.6.2 Update the awareness program yearly
12.6.3 Train staff at hire and yearly
12.7.1 Screen staff before hiring
12.8.1 List third-party service providers
12.8.2 Maintain written agreements with service providers
12.8.3 Vet service providers before engagement
12.8.4 Check the compliance of service providers yearly
12.8.5 Document which provider covers each requirement
12.9.1 Service providers: acknowledge responsibility
12.9.2 Service providers: provide compliance information
12.10.1 Maintain an incident response plan
12.10.2 Test the incident response plan yearly
12.10.3 Have incident responders available 24/7
12.10.4 Train responders
12.10.5 Respond to alerts of security systems
12.10.6 Improve the incident response plan with lessons learned
12.10.7 Respond to cardholder data in unexpected places
A1.1.1 Providers: separate own and customer environments
A1.1.2 Providers: restrict customers to their own data
A1.1.3 Providers: restrict customers to their own resources
A1.1.4 Providers: test the separation twice a year
A1.2.1 Providers: provide each customer with logs
A1.2.2 Providers: support forensic investigations
A1.2.3 Providers: accept reports of incidents and vulnerabilities
A2.1.1 Old TLS: use terminals only where safe
A2.1.2 Providers with old TLS: have a migration plan
A2.1.3 Providers with old TLS: offer a secure service
A3.1.1 Extra validation: assign executive responsibility
A3.1.2 Extra validation: run a compliance program
A3.1.3 Extra validation: define compliance roles
A3.1.4 Extra validation: train compliance staff
A3.2.1 Extra validation: confirm the scope quarterly
A3.2.2 Extra validation: assess scope after changes
A3.2.3 Extra validation: review organizational changes
A3.2.4 Extra validation: test segmentation twice a year
A3.2.5 Extra validation: discover cardholder data
A3.2.6 Extra validation: detect card numbers that leave the environment
A3.3.1 Extra validation: detect failed controls
A3.3.2 Extra validation: review hardware and software
A3.3.3 Extra validation: verify daily operations quarterly
A3.4.1 Extra validation: review access twice a year
A3.5.1 Extra validation: identify attack patterns
3.3.1.1 Do not store full track data
3.3.1.2 Do not store card verification codes
3.3.1.3 Do not store PINs
3.5.1.1 Use keyed hashes for card numbers
3.5.1.2 Limit disk encryption to removable media
3.5.1.3 Manage access to disk encryption separately
3.6.1.1 Service providers: document cryptography
3.6.1.2 Store keys in a protected form
3.6.1.3 Restrict access to keys to few custodians
3.6.1.4 Store keys in few places
4.2.1.1 Inventory trusted keys and certificates
4.2.1.2 Use strong encryption on wireless networks
5.2.3.1 Set the reassessment frequency by risk analysis
5.3.2.1 Set the malware scan frequency by risk analysis
6.2.3.1 Require manual code review by someone other than the author
7.2.5.1 Review access by system accounts
8.3.10.1 Service providers: change customer passwords
9.2.1.1 Monitor sensitive areas with cameras or access records
9.3.1.1 Control staff access to sensitive areas
9.4.1.1 Store offline backups securely
9.4.1.2 Review the backup location yearly
9.4.5.1 Inventory media yearly
9.5.1.1 List card readers
9.5.1.2 Inspect card readers
9.5.1.3 Train staff to detect tampering
9.5.1.2.1 Set the inspection frequency by risk analysis
10.2.1.1 Log access to cardholder data
10.2.1.2 Log actions of administrators
10.2.1.3 Log access to logs
10.2.1.4 Log failed logins
10.2.1.5 Log changes to credentials
10.2.1.6 Log when logging starts or stops
10.2.1.7 Log creation and deletion of system objects
10.4.1.1 Review logs automatically
10.4.2.1 Set the log review frequency by risk analysis
11.3.1.1 Fix lower-risk vulnerabilities
11.3.1.2 Run authenticated internal scans
11.3.1.3 Run internal scans after significant changes
11.3.2.1 Run external scans after significant changes
11.5.1.1 Service providers: detect covert malware channels
12.4.2.1 Service providers: document the quarterly checks
12.5.2.1 Service providers: confirm scope twice a year
12.6.3.1 Train staff about phishing and social engineering
12.6.3.2 Train staff in acceptable use
12.10.4.1 Set the responder training frequency by risk analysis
A3.2.2.1 Extra validation: verify requirements after changes
A3.2.5.1 Extra validation: verify discovery methods
A3.2.5.2 Extra validation: respond to discovered cardholder data
`;
