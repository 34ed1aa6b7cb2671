/** Our own words; see test/compliance. */
export const iso27001Titles = `
A.5.1 Maintain and review security policies
A.5.2 Assign security roles
A.5.3 Separate conflicting duties
A.5.4 Require managers to enforce security
A.5.5 Maintain contacts with authorities
A.5.6 Participate in security groups and forums
A.5.7 Collect threat intelligence
A.5.8 Include security in projects
A.5.9 Keep an inventory of assets with owners
A.5.10 Set rules for using assets
A.5.11 Collect assets when people leave
A.5.12 Classify information
A.5.13 Label information
A.5.14 Protect transferred information
A.5.15 Restrict access by business need
A.5.16 Manage identities throughout their life cycle
A.5.17 Manage passwords and other secrets
A.5.18 Grant, review and remove access rights
A.5.19 Manage supplier risks
A.5.20 Include security in supplier contracts
A.5.21 Manage risks in the technology supply chain
A.5.22 Monitor and review suppliers
A.5.23 Use cloud services securely
A.5.24 Prepare for incidents
A.5.25 Classify security events
A.5.26 Respond to incidents
A.5.27 Learn from incidents
A.5.28 Collect evidence
A.5.29 Maintain security during disruption
A.5.30 Prepare technology for business continuity
A.5.31 Identify legal and contractual requirements
A.5.32 Respect intellectual property
A.5.33 Protect records
A.5.34 Protect personal data
A.5.35 Review security independently
A.5.36 Verify compliance with security policies
A.5.37 Document operating procedures
A.6.1 Screen candidates
A.6.2 Include security in employment terms
A.6.3 Train people in security
A.6.4 Define a disciplinary process
A.6.5 Enforce responsibilities after employment ends
A.6.6 Sign confidentiality agreements
A.6.7 Secure remote work
A.6.8 Provide a way to report security events
A.7.1 Define physical perimeters
A.7.2 Control entry to sites
A.7.3 Secure offices and rooms
A.7.4 Monitor premises
A.7.5 Protect against environmental threats
A.7.6 Set rules for work in secure areas
A.7.7 Require clear desks and screens
A.7.8 Locate and protect equipment safely
A.7.9 Protect assets off site
A.7.10 Manage storage media throughout their life cycle
A.7.11 Protect power and other utilities
A.7.12 Protect cabling
A.7.13 Maintain equipment
A.7.14 Wipe equipment before disposal
A.8.1 Protect user devices
A.8.2 Restrict privileged access
A.8.3 Restrict access to information
A.8.4 Restrict access to source code
A.8.5 Authenticate securely
A.8.6 Monitor and adjust capacity
A.8.7 Protect against malware
A.8.8 Fix technical vulnerabilities
A.8.9 Manage configurations
A.8.10 Delete information that is no longer needed
A.8.11 Mask sensitive data
A.8.12 Prevent data leaks
A.8.13 Back up information and test restores
A.8.14 Build in redundancy
A.8.15 Log activity and protect the logs
A.8.16 Monitor for anomalies
A.8.17 Synchronize clocks
A.8.18 Restrict powerful utility programs
A.8.19 Control software installation in production
A.8.20 Secure networks
A.8.21 Secure network services
A.8.22 Segregate networks
A.8.23 Filter web access
A.8.24 Define rules for cryptography and key management
A.8.25 Develop software securely
A.8.26 Define security requirements of applications
A.8.27 Follow secure architecture principles
A.8.28 Code securely
A.8.29 Test security during development
A.8.30 Supervise outsourced development
A.8.31 Separate development, test and production
A.8.32 Manage changes
A.8.33 Protect test data
A.8.34 Prevent audits from disrupting production
`;
